package main

import "time"

type auditCommand struct {
	apiFlags
	listFlags
	Tenant    string  `help:"Only what concerns this tenant." placeholder:"TENANT"`
	Actor     string  `help:"Only what this actor did: a key's id, or a user's." placeholder:"ID" env:"-"`
	Operation string  `help:"Only this operation, as /docs names it: update-webhook-endpoint." placeholder:"OPERATION" env:"-"`
	Subject   string  `help:"Only what was done to the thing with this id." placeholder:"ID" env:"-"`
	Since     instant `help:"Then or later: 2026-03-01T12:00:00Z, 2026-03-01, or 24h (ago)." placeholder:"WHEN"`
	Until     instant `help:"Before then." placeholder:"WHEN"`
}

// Help implements kong.HelpProvider.
func (auditCommand) Help() string {
	return `Newest first: one line for each thing that a request changed. Publishing is not here:
events are their own record.

Example:
  malote audit --tenant acme --since 24h`
}

// auditView is what is shown of a row.
type auditView struct {
	At          *time.Time `json:"at"`
	ActorKind   string     `json:"actor_kind"`
	ActorID     *string    `json:"actor_id"`
	ActorName   *string    `json:"actor_name"`
	Operation   string     `json:"operation"`
	Tenant      *string    `json:"tenant"`
	SubjectKind *string    `json:"subject_kind"`
	SubjectID   *string    `json:"subject_id"`
	Detail      *string    `json:"detail"`
	Address     *string    `json:"address"`
}

// who is what tells people most about the actor.
func (a auditView) who() string {
	switch {
	case a.ActorName != nil && *a.ActorName != "":
		return *a.ActorName
	case a.ActorID != nil:
		return *a.ActorID
	}
	return a.ActorKind
}

// Run implements the command.
func (f *auditCommand) Run(env *environment) error {
	c, err := f.connect(env)
	if err != nil {
		return err
	}
	return list[auditView]{
		path: "/v1/audit_log", what: "changes",
		query: queryOf("tenant", f.Tenant, "actor", f.Actor, "operation", f.Operation, "subject", f.Subject,
			"since", f.Since.rfc3339(), "until", f.Until.rfc3339()),
		head: []string{"AT", "WHO", "FROM", "OPERATION", "TENANT", "WHAT", "DETAIL"},
		row: func(a auditView) []string {
			return []string{stamp(a.At), a.who(), orAbsent(a.Address), a.Operation, orAbsent(a.Tenant), orAbsent(a.SubjectID), orAbsent(a.Detail)}
		},
	}.print(c, f.listFlags)
}
