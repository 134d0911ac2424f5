package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/malotehq/malote/client"
)

type replayCommand struct {
	oneFlags
	ID      []string `arg:"" help:"Ids of deliveries, whd_…."`
	Preview bool     `help:"Say what would happen, and change nothing."`
}

// Help implements kong.HelpProvider.
func (replayCommand) Help() string {
	return `The same events with the same bytes, to their endpoints' URLs at this moment, in a new cycle of attempts.
Of every 50 deliveries all are replayed or, if one is refused, none.

Example:
  malote replay whd_01h455vb4pex5vsknk084sn02q --preview`
}

// replayedView is what becomes of one delivery.
type replayedView struct {
	ID     string  `json:"id"`
	URL    *string `json:"url"`
	State  *string `json:"state"`
	Detail *string `json:"detail"`
}

// mostReplayed is how many deliveries the API replays at once.
const mostReplayed = 50

// Run implements the command.
func (f *replayCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	out := newTable(env.stdout)
	defer out.flush()
	head := []string{"DELIVERY", "WAS", "URL", f.heading()}
	for ids := range slices.Chunk(f.ID, mostReplayed) {
		page, err := f.replay(c, ids)
		if err != nil {
			return err
		}
		if !f.JSON && head != nil {
			out.row(head...)
			head = nil
		}
		for _, raw := range page {
			if err := f.print(env, out, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *replayCommand) heading() string {
	if f.Preview {
		return "WOULD"
	}
	return "NOW"
}

func (f *replayCommand) replay(c *connection, ids []string) ([]json.RawMessage, error) {
	page, _, err := fetch[rawPage](c, client.Request{
		Method: http.MethodPost, Path: deliveriesPath + "/replay", Repeatable: f.Preview,
		Body: encoded(map[string]any{"ids": ids, "preview": f.Preview}),
	})
	return page.Data, naming(err, ids)
}

func (f *replayCommand) print(env *environment, out *table, raw json.RawMessage) error {
	if f.JSON {
		_, err := fmt.Fprintf(env.stdout, "%s\n", raw)
		return err
	}
	var one replayedView
	if err := json.Unmarshal(raw, &one); err != nil {
		return fmt.Errorf("the server's answer is not what this version of malote expects: %w", err)
	}
	becomes := "be sent again"
	switch {
	case one.Detail != nil:
		becomes = "stay: " + *one.Detail
	case !f.Preview:
		becomes = "pending"
	}
	out.row(one.ID, orAbsent(one.State), orAbsent(one.URL), becomes)
	return nil
}

// naming puts deliveries' ids where the API counts them.
func naming(err error, ids []string) error {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	if detail, found := strings.CutSuffix(refused.Detail, ": see errors."); found {
		refused.Detail = detail + "."
	}
	for i, id := range ids {
		counted := fmt.Sprintf("ids[%d]", i)
		refused.Detail = strings.ReplaceAll(refused.Detail, counted, id)
		for j := range refused.Faults {
			refused.Faults[j].Field = strings.ReplaceAll(refused.Faults[j].Field, counted, id)
		}
	}
	return err
}
