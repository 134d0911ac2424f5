package api

import "slices"

// docsProblems are the problems of one kind of request.
type docsProblems struct {
	Heading, Anchor, About string
	Rows                   []docsProblem
}

type docsProblem struct {
	Code   Code
	Status int
	Advice string
}

// docsAllProblems tells what any request may get from what only some do.
func docsAllProblems() []docsProblems {
	every, bodies := slices.Concat(codesOfAll, codesOfKeys, codesOfNone), codesOfBodies
	groups := []docsProblems{
		{Heading: "Of every request", Anchor: "problems-of-every-request",
			About: "Whatever the operation, so that none lists them."},
		{Heading: "Of requests with a body", Anchor: "problems-of-bodies", About: "All that send a body may get these, too."},
		{Heading: "Of certain operations", Anchor: "problems-of-operations", About: "Each operation lists which of these it has."},
	}
	for _, m := range meanings {
		group := &groups[2]
		switch {
		case slices.Contains(every, m.code):
			group = &groups[0]
		case slices.Contains(bodies, m.code):
			group = &groups[1]
		}
		group.Rows = append(group.Rows, docsProblem{Code: m.code, Status: m.status, Advice: m.advice})
	}
	return groups
}
