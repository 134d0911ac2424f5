package main

import (
	"context"
	"fmt"
	"time"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store/outbox"
)

// relayLate is how long a committed row may wait before somebody should look:
// longer than any sensible transaction, for its age counts from its writing.
const (
	relaySlow = time.Minute
	relayLate = 10 * time.Minute
)

// checkOutboxes looks at Malote's own outbox and at those that are to be carried.
func (f *doctorCommand) checkOutboxes(ctx context.Context, dsn string) []finding {
	others, err := f.outboxes()
	if err != nil {
		return []finding{{Check: "outbox", Health: wrong, Found: oneLine(err.Error()), Fix: "write it as malote serve has it"}}
	}
	var findings []finding
	for _, o := range append([]app.Outbox{{Name: app.OwnOutbox, DSN: dsn}}, others...) {
		findings = append(findings, checkOutbox(ctx, o))
	}
	return findings
}

func checkOutbox(ctx context.Context, o app.Outbox) finding {
	box := outbox.New(o.DSN)
	defer box.Close()
	check := "outbox " + o.Name
	lag, err := box.Lag(ctx)
	if err != nil {
		return finding{Check: check, Health: wrong, Found: oneLine(err.Error()), Fix: "see that its database runs, that the outbox is installed, and that the relay's role has its GRANTs (malote outbox install prints them)"}
	}
	found := finding{Check: check, Health: healthy, Found: "nothing waits"}
	if lag.Waiting > 0 {
		found.Found = fmt.Sprintf("%s, the oldest for %s", atLeast(lag.Waiting, "row waits", "rows wait"), brief(lag.Oldest))
	}
	switch {
	case lag.Oldest > relayLate:
		found.Health, found.Fix = wrong, "see that a malote serve with the role relay runs and carries it (--outbox), and what it logs"
	case lag.Refused > 0:
		found.Health = warning
		found.Found += "; " + atLeast(lag.Refused, "row was refused", "rows were refused")
		found.Fix = "malote outbox refused says why; put it right, then malote outbox retry"
	case lag.Oldest > relaySlow:
		found.Health, found.Fix = warning, "if it does not get less, see that a malote serve with the role relay runs"
	}
	return found
}
