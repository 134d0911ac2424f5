package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/policy"
)

// StoredPolicy is a policy that a user wrote. It never changes.
type StoredPolicy struct {
	Name      string
	Source    string // the YAML as it came
	CreatedAt time.Time
}

type policyJSON struct {
	Name        string    `json:"name" example:"standard"`
	Description string    `json:"description" example:"Ten attempts over three days."`
	Preset      bool      `json:"preset" example:"true" doc:"Whether it comes with Malote."`
	YAML        string    `json:"yaml" example:"name: standard\\n…" doc:"The policy as it was written, comments included."`
	CreatedAt   timestamp `json:"created_at" doc:"null for presets."`
}

type newPolicyJSON struct {
	YAML string `json:"yaml" minLength:"1" maxLength:"32768" doc:"The policy, as text. Its name is in it."`
}

type createPolicyInput struct {
	OncePerKey
	Body newPolicyJSON
}

type policyPath struct {
	Name string `path:"name" doc:"The policy's name."`
}

type policyAnswer struct {
	Status int
	Body   policyJSON
}

func (s *server) registerPolicies(r *routes) {
	handle(r, route{
		id: "list-policies", method: http.MethodGet, path: "/v1/policies", tag: tagPolicies, need: mayRead,
		summary: "List policies", description: "The presets first, then the others by name. All are on one page.",
	}, s.listPolicies)
	handle(r, route{
		id: "create-policy", method: http.MethodPost, path: "/v1/policies", tag: tagPolicies, need: mayAdmin,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Create a policy",
		description: "Policies never change: endpoints rely on them. Creating the same one again does nothing.",
		sample:      `{"yaml": "name: nightly\ndeadline: 10s\nschedule: {kind: table, waits: [1m, 1h, 24h], then: end}\n"}`,
		codes:       []Code{InvalidPolicy, PolicyExists},
	}, s.createPolicy)
	handle(r, route{
		id: "get-policy", method: http.MethodGet, path: "/v1/policies/{name}", tag: tagPolicies, need: mayRead,
		summary: "Get a policy",
	}, s.getPolicy)
	handle(r, route{
		id: "get-policy-schedule", method: http.MethodGet, path: "/v1/policies/{name}/schedule", tag: tagPolicies, need: mayRead,
		summary:     "When a policy makes its attempts",
		description: "For a delivery that fails every time at once and is asked for no Retry-After; computed by the code that decides.",
	}, s.getSchedule)
}

func (s *server) listPolicies(ctx context.Context, _ *struct{}) (*listAnswer[policyJSON], error) {
	stored, err := s.Policies.Policies(ctx)
	if err != nil {
		return nil, err
	}
	var data []policyJSON
	for _, name := range policy.AllPresetNames() {
		data = append(data, showPreset(name))
	}
	return &listAnswer[policyJSON]{Body: listJSON[policyJSON]{Data: append(data, shown(stored, showStored)...)}}, nil
}

func showPreset(name string) policyJSON {
	preset, _ := policy.Preset(name)
	source, _ := policy.PresetSource(name)
	return policyJSON{Name: name, Description: preset.Description, Preset: true, YAML: string(source)}
}

// showStored shows a policy even if this version of Malote cannot read it any
// more: its text is then all there is.
func showStored(p StoredPolicy) policyJSON {
	view := policyJSON{Name: p.Name, YAML: p.Source, CreatedAt: timestamp{p.CreatedAt}}
	if parsed, err := policy.Parse([]byte(p.Source)); err == nil {
		view.Description = parsed.Description
	}
	return view
}

func (s *server) createPolicy(ctx context.Context, input *createPolicyInput) (*policyAnswer, error) {
	parsed, err := policy.Parse([]byte(input.Body.YAML))
	if wrong, ok := errors.AsType[*policy.ParseError](err); ok {
		return nil, faultAs(InvalidPolicy, "yaml", "%v", wrong)
	}
	if err != nil {
		return nil, problem(InvalidPolicy, "")
	}
	stored, created, err := s.Policies.CreatePolicy(ctx, parsed.Name, input.Body.YAML, input.once(ctx))
	if err != nil {
		return nil, err
	}
	changedIf(ctx, created, Subject{Kind: SubjectPolicy, ID: stored.Name})
	return &policyAnswer{Status: createdStatus(created), Body: showStored(stored)}, nil
}

func (s *server) getPolicy(ctx context.Context, input *policyPath) (*policyAnswer, error) {
	if _, isPreset := policy.Preset(input.Name); isPreset {
		return &policyAnswer{Status: http.StatusOK, Body: showPreset(input.Name)}, nil
	}
	stored, err := s.storedPolicy(ctx, input.Name)
	if err != nil {
		return nil, err
	}
	return &policyAnswer{Status: http.StatusOK, Body: showStored(stored)}, nil
}

// policyNamed finds and reads a policy, preset or not.
func (s *server) policyNamed(ctx context.Context, name string) (*policy.Policy, error) {
	if preset, known := policy.Preset(name); known {
		return preset, nil
	}
	stored, err := s.storedPolicy(ctx, name)
	if err != nil {
		return nil, err
	}
	return policy.Parse([]byte(stored.Source))
}

// storedPolicy asks the store for names that policies can have only.
func (s *server) storedPolicy(ctx context.Context, name string) (StoredPolicy, error) {
	if name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return StoredPolicy{}, problem(UnknownPolicy, "")
	}
	return s.Policies.Policy(ctx, name)
}

type scheduleJSON struct {
	Policy         string        `json:"policy" example:"standard"`
	FewestAttempts int           `json:"fewest_attempts" example:"10" doc:"With all waits as long as jitter can make them."`
	MostAttempts   int           `json:"most_attempts" example:"10" doc:"With all waits as short as jitter can make them."`
	Attempts       []instantJSON `json:"attempts"`
}

type instantJSON struct {
	Attempt       int   `json:"attempt" example:"2"`
	Wait          span  `json:"wait" doc:"Before this attempt, without jitter."`
	WithoutJitter *span `json:"without_jitter" nullable:"true" doc:"After the first attempt; null: there is no such attempt."`
	LeastJitter   *span `json:"least_jitter" nullable:"true" doc:"With all waits as short as jitter can make them."`
	MostJitter    *span `json:"most_jitter" nullable:"true" doc:"With all waits as long as jitter can make them."`
}

type scheduleAnswer struct{ Body scheduleJSON }

func (s *server) getSchedule(ctx context.Context, input *policyPath) (*scheduleAnswer, error) {
	p, err := s.policyNamed(ctx, input.Name)
	if err != nil {
		return nil, err
	}
	timetable := policy.Schedule(p)
	fewest, most := policy.Attempts(timetable)
	return &scheduleAnswer{scheduleJSON{
		Policy: p.Name, FewestAttempts: fewest, MostAttempts: most, Attempts: shown(timetable, showInstant),
	}}, nil
}

func showInstant(row policy.Instant) instantJSON {
	return instantJSON{
		Attempt: row.Attempt, Wait: span(row.Wait), WithoutJitter: offset(row.Without),
		LeastJitter: offset(row.Least), MostJitter: offset(row.Most),
	}
}

// offset shows an instant of a timetable to the millisecond: jitter computes
// finer than anybody reads.
func offset(at time.Duration) *span {
	if at == policy.Never {
		return nil
	}
	shown := span(at.Round(time.Millisecond))
	return &shown
}
