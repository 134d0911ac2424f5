package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/app"
)

// relayFlags say which outboxes are carried.
type relayFlags struct {
	Outbox    []string      `help:"An application's own database with an outbox (malote outbox install), as NAME=URL; any number. Better set as MALOTE_OUTBOX or in malote.yaml: others can read command lines." sep:"none" placeholder:"NAME=URL"`
	RelayPoll time.Duration `help:"Pause between two looks at an outbox that is empty." default:"50ms"`
}

// outboxes never repeats what it cannot read: there are passwords in it.
func (f *relayFlags) outboxes() ([]app.Outbox, error) {
	if f.RelayPoll <= 0 {
		return nil, &usageError{"--relay-poll must be more than 0, such as 50ms"}
	}
	var list []app.Outbox
	for i, text := range f.Outbox {
		name, dsn, found := strings.Cut(text, "=")
		if !found || strings.Contains(name, ":") {
			return nil, &usageError{fmt.Sprintf("--outbox number %d must be like shop=postgres://malote_relay@db.example/shop", i+1)}
		}
		list = append(list, app.Outbox{Name: name, DSN: dsn})
	}
	return list, nil
}
