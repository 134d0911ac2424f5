package filter

import (
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/overloads"
)

// variable is a name that filters know.
type variable struct {
	name string
	kind *cel.Type
	of   func(*Event) (any, error)
}

// What a filter on events can ask for.
var eventVariables = []variable{
	{"type", cel.StringType, func(e *Event) (any, error) { return e.event.Type, nil }},
	{"tenant", cel.StringType, func(e *Event) (any, error) { return e.event.Tenant, nil }},
	{"content_type", cel.StringType, func(e *Event) (any, error) { return e.event.ContentType, nil }},
	{"external_id", cel.StringType, func(e *Event) (any, error) { return e.event.ExternalID, nil }},
	{"coalesce_key", cel.StringType, func(e *Event) (any, error) { return e.event.CoalesceKey, nil }},
	{"entity_version", cel.StringType, func(e *Event) (any, error) { return e.event.EntityVersion, nil }},
	{"occurred_at", cel.TimestampType, func(e *Event) (any, error) { return e.event.OccurredAt, nil }},
	{"data", cel.DynType, (*Event).decoded},
}

// environment is a set of variables, and all that can be done with them. Another
// door with other variables needs another environment, and nothing else.
type environment struct {
	cel       *cel.Env
	variables map[string]variable
	names     string // for messages
}

var events = sync.OnceValue(func() *environment { return newEnvironment(eventVariables) })

func newEnvironment(variables []variable) *environment {
	known := make(map[string]variable, len(variables))
	var names []string
	options := append(loops(),
		cel.StdLib(cel.StdLibSubset(withoutTimeZones().SetDisableMacros(true))),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(maxDepth),
		cel.ASTValidators(cel.ValidateComprehensionNestingLimit(maxLoops)),
	)
	for _, v := range variables {
		known[v.name] = v
		names = append(names, v.name)
		options = append(options, cel.Variable(v.name, v.kind))
	}
	language, err := cel.NewCustomEnv(options...)
	if err != nil {
		panic("filter: the environment is of our own making: " + err.Error())
	}
	nameSymbols(language)
	return &environment{cel: language, variables: known, names: strings.Join(names, ", ")}
}

// nameSymbols lets the checker list its symbols now. It does so for the first unknown
// name otherwise, while other goroutines read where the list is kept.
func nameSymbols(language *cel.Env) {
	const unknown = "nobody_declared_this"
	parsed, issues := language.Parse(unknown)
	if issues.Err() != nil {
		panic("filter: a name cannot be parsed: " + issues.Err().Error())
	}
	if _, issues = language.Check(parsed); issues.Err() == nil {
		panic("filter: " + unknown + " is declared")
	}
}

// withoutTimeZones is the standard library without what reads the machine's time
// zone files, at every call, and may answer otherwise on another machine.
func withoutTimeZones() *env.LibrarySubset {
	zoned := map[string]string{
		overloads.TimeGetFullYear:     overloads.TimestampToYearWithTz,
		overloads.TimeGetMonth:        overloads.TimestampToMonthWithTz,
		overloads.TimeGetDayOfYear:    overloads.TimestampToDayOfYearWithTz,
		overloads.TimeGetDayOfMonth:   overloads.TimestampToDayOfMonthZeroBasedWithTz,
		overloads.TimeGetDate:         overloads.TimestampToDayOfMonthOneBasedWithTz,
		overloads.TimeGetDayOfWeek:    overloads.TimestampToDayOfWeekWithTz,
		overloads.TimeGetHours:        overloads.TimestampToHoursWithTz,
		overloads.TimeGetMinutes:      overloads.TimestampToMinutesWithTz,
		overloads.TimeGetSeconds:      overloads.TimestampToSecondsWithTz,
		overloads.TimeGetMilliseconds: overloads.TimestampToMillisecondsWithTz,
	}
	subset := env.NewLibrarySubset()
	for function, overload := range zoned {
		subset.AddExcludedFunctions(env.NewFunction(function, env.NewOverload(overload, nil, nil)))
	}
	return subset
}
