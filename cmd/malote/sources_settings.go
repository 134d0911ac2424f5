package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// sourceSettingFlags are the settings of a source. What is not among them is
// given with --options.
type sourceSettingFlags struct {
	Description   *string        `help:"What it is, for yourself." placeholder:"TEXT"`
	Dedupe        *string        `help:"By what a repetition is known: provider, body_hash, none, header:Name, or a path such as json:data.id." placeholder:"RULE" env:"-" own:""`
	EventType     *string        `help:"Where an event's type comes from: provider, fixed: and a type, header:Name, or a path such as json:event.type." placeholder:"RULE" env:"-" own:""`
	ForwardHeader []string       `help:"A header of the request that is stored and passed on. Repeat it for more." placeholder:"NAME" env:"-" own:""`
	NoHeaders     bool           `help:"No header of the request is stored or passed on." env:"-" own:""`
	SignedURL     *string        `name:"signed-url" help:"The address that the provider was given, if it signs that and this server sees another." placeholder:"URL" env:"-" own:""`
	Tolerance     *time.Duration `help:"How far a signed time may be off; 0s switches that off." placeholder:"DURATION" env:"-" own:""`
	RateLimit     *float64       `help:"Requests a second, in each process." placeholder:"NUMBER" env:"-" own:""`
	MaxBody       *int           `help:"Largest body, in bytes." placeholder:"BYTES" env:"-" own:""`
	Filter        *string        `help:"A CEL expression, such as 'type != \"ping\"': events for which it is false are not stored." placeholder:"CEL" env:"-" own:""`
	Hook          string         `help:"GitHub's webhook, for the repair of gaps: owner/repository/number, or organisation/number." placeholder:"PATH" env:"-" own:""`
	Options       string         `help:"Other options: a JSON object, or a file with one. See malote sources create --help." placeholder:"JSON|FILE" env:"-" own:""`
}

// set puts what was given into a body.
func (f *sourceSettingFlags) set(body map[string]any) error {
	setIfGiven(body, "description", f.Description)
	setIfGiven(body, "dedupe", f.Dedupe)
	setIfGiven(body, "event_type_from", f.EventType)
	switch {
	case f.NoHeaders && len(f.ForwardHeader) > 0:
		return &usageError{"--no-headers contradicts --forward-header: give one of them"}
	case f.NoHeaders:
		body["forward_headers"] = []string{}
	case len(f.ForwardHeader) > 0:
		body["forward_headers"] = f.ForwardHeader
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	if len(options) > 0 {
		body["options"] = options
	}
	return nil
}

// options are those of --options, and the flags' on top.
func (f *sourceSettingFlags) options() (map[string]any, error) {
	options := map[string]any{}
	if err := readOptions(f.Options, options); err != nil {
		return nil, err
	}
	setIfGiven(options, "url", f.SignedURL)
	setIfGiven(options, "max_body_bytes", f.MaxBody)
	setIfGiven(options, "filter", f.Filter)
	if f.RateLimit != nil {
		options["rate_limit"] = map[string]any{"per_second": *f.RateLimit}
	}
	switch {
	case f.Tolerance == nil:
	case *f.Tolerance == 0:
		options["tolerance"] = "off"
	default:
		options["tolerance"] = f.Tolerance.String()
	}
	if f.Hook == "" {
		return options, nil
	}
	hook, err := hookOf(f.Hook)
	if err != nil {
		return nil, err
	}
	repair, _ := options["repair"].(map[string]any)
	if repair == nil {
		repair = map[string]any{}
	}
	repair["hook"] = hook
	options["repair"] = repair
	return options, nil
}

// readOptions reads a JSON object, or a file that holds one.
func readOptions(given string, into map[string]any) error {
	if given == "" {
		return nil
	}
	text := []byte(given)
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		var err error
		if text, err = os.ReadFile(given); err != nil {
			return fmt.Errorf("reading --options: %w", err)
		}
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&into); err != nil {
		return &usageError{"--options must be a JSON object, or a file that holds one: " + err.Error()}
	}
	return nil
}

// hookOf reads a webhook's place as it is in its address on GitHub.
func hookOf(text string) (map[string]any, error) {
	parts := strings.Split(text, "/")
	number, err := strconv.ParseInt(parts[len(parts)-1], 10, 64)
	if err != nil || len(parts) < 2 || len(parts) > 3 {
		return nil, &usageError{fmt.Sprintf("--hook must be like acme/shop/4711 or acme/4711, as in the webhook's address on GitHub, not %q", text)}
	}
	hook := map[string]any{"owner": parts[0], "id": number}
	if len(parts) == 3 {
		hook["repository"] = parts[1]
	}
	return hook, nil
}
