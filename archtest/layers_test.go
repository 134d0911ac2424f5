package archtest

import "slices"

// layer says what of ours some packages may import. Packages are named by their
// path below the module's root.
type layer struct {
	packages []string
	uses     []string
	tests    []string // what their tests may import besides
}

// everything that ships, for those who put the parts together.
const everything = "*"

// Packages whose code takes the time and chance as arguments and reaches
// nothing outside of the process; egress, which looks up names and dials, is
// allowed just that.
var pure = []string{
	"internal/delivery", "internal/policy", "internal/circuit", "internal/source", "internal/egress",
	"internal/filter", "internal/seal", "internal/contractpage", "internal/simulate", "internal/hindsight", "internal/portal",
}

var storage = []string{
	"internal/store", "internal/store/history", "internal/store/redelivery", "internal/store/registry",
	"internal/store/retention", "internal/store/watch", "internal/store/inbound", "internal/store/outbox",
	"internal/store/audit", "internal/store/pulse",
	"internal/store/notices", "internal/store/accounts", "internal/store/benchdata",
}

// What tests need to have a database, something to send and something to send to.
var equipment = append([]string{"internal/store/pgtest", "internal/localpg", "internal/receiver", "internal/sender/smtptest", "webhook"}, storage...)

// What all pages of the dashboard have in common.
var dashboardParts = []string{
	"internal/dashboard/assets", "internal/dashboard/lang", "internal/dashboard/page", "internal/dashboard/ui",
	"internal/dashboard/records",
}

// Groups of pages: a package each.
var pageGroups = []string{
	"internal/dashboard/overview", "internal/dashboard/deliveries", "internal/dashboard/events", "internal/dashboard/endpoints", "internal/dashboard/search",
	"internal/dashboard/settings",
	"internal/dashboard/dlq", "internal/dashboard/sources", "internal/dashboard/policies",
}

// Helpers of tests: nothing that ships may import them.
var testOnly = []string{"internal/store/pgtest", "internal/store/sqllint", "internal/sender/smtptest"}

// layers is the import table. A package belongs to exactly one layer.
var layers = []layer{
	// Public. Whoever imports them gets nothing else of ours.
	{packages: []string{"webhook"}},
	{packages: []string{"webhook/pgseen"}, uses: []string{"webhook"}, tests: equipment},
	{packages: []string{"client"}, uses: []string{"webhook"}, tests: equipment},
	// Its tests hold its checks against those that an event meets later.
	{
		packages: []string{"outbox"},
		tests:    slices.Concat(equipment, []string{"internal/delivery", "internal/publish"}),
	},

	// Pure.
	{packages: []string{"internal/delivery"}},
	{
		packages: []string{"internal/circuit", "internal/source", "internal/egress", "internal/filter"},
		uses:     []string{"internal/delivery"},
	},
	{packages: []string{"internal/seal"}},
	{packages: []string{"internal/portal"}, uses: []string{"internal/delivery"}, tests: []string{"internal/seal"}},
	{packages: []string{"internal/policy"}, uses: []string{"internal/delivery", "internal/circuit"}},
	{
		packages: []string{"internal/contractpage", "internal/simulate", "internal/hindsight"},
		uses:     []string{"internal/delivery", "internal/circuit", "internal/policy"},
		tests:    []string{"webhook"},
	},

	// Storage. The sub-packages share the store, and know nothing of each other.
	{packages: []string{"internal/store"}, uses: slices.Concat(pure, []string{"internal/store/outbox"}), tests: equipment},
	// The outbox may be in a database that has nothing else of ours.
	{packages: []string{"internal/store/outbox"}, tests: slices.Concat(equipment, []string{"internal/delivery"})},
	{
		packages: []string{
			"internal/store/history", "internal/store/redelivery", "internal/store/registry",
			"internal/store/retention", "internal/store/watch", "internal/store/inbound", "internal/store/accounts", "internal/store/audit", "internal/store/pulse",
			"internal/store/notices", "internal/store/benchdata",
		},
		uses:  slices.Concat(pure, []string{"internal/store"}),
		tests: equipment,
	},
	{packages: []string{"internal/store/pgtest"}, uses: []string{"internal/store", "internal/localpg"}},
	{packages: []string{"internal/store/sqllint"}},
	{packages: []string{"internal/sender/smtptest"}},
	// Tests of whole lives, on a database whose time they set.
	{packages: []string{"internal/store/lifetimes"}, uses: slices.Concat(pure, storage), tests: equipment},
	{packages: []string{"internal/localpg"}},
	{packages: []string{"internal/localpg/withpg"}, uses: []string{"internal/localpg"}},

	// Work. Storage and sender reach it through interfaces that it declares.
	{
		packages: []string{"internal/sender"},
		uses:     []string{"internal/delivery", "internal/policy", "internal/egress", "webhook"},
		tests:    equipment,
	},
	{
		packages: []string{"internal/publish", "internal/dispatch", "internal/alert", "internal/maintenance", "internal/recovery"},
		uses:     pure,
		tests:    equipment,
	},
	{
		packages: []string{"internal/ingest", "internal/relay", "internal/gaprepair"},
		uses:     slices.Concat(pure, []string{"internal/publish"}),
		tests:    equipment,
	},
	// Stands around the ways in and the way out, and makes spans of what passes.
	{packages: []string{"internal/tracing"}, uses: slices.Concat(pure, []string{"internal/publish"})},
	// What verification must fetch, through the egress guard.
	{packages: []string{"internal/fetch"}, uses: []string{"internal/delivery", "internal/egress", "internal/source"}},
	{packages: []string{"internal/metrics"}, uses: pure, tests: equipment},

	// Doors. webhook is there for secrets: who makes or reads one, and nothing else.
	{
		packages: []string{"internal/api"},
		uses:     slices.Concat(pure, []string{"internal/publish", "webhook"}),
		tests:    equipment,
	},

	// The dashboard asks the API, and knows nothing else. Its groups of pages stand
	// on what they have in common, and know nothing of each other.
	{packages: []string{"internal/dashboard/assets", "internal/dashboard/lang", "internal/dashboard/records"}},
	{packages: []string{"internal/dashboard/page"}, uses: []string{"internal/dashboard/lang"}},
	{packages: []string{"internal/dashboard/ui"}, uses: dashboardParts},
	{packages: pageGroups, uses: slices.Concat(pure, dashboardParts, []string{"webhook"}), tests: equipment},
	{packages: []string{"internal/dashboard"}, uses: slices.Concat(pure, dashboardParts, pageGroups), tests: equipment},

	// The whole.
	{packages: []string{"internal/app"}, uses: []string{everything}, tests: equipment},
	// Tests of whole contracts, over real HTTP and a real PostgreSQL.
	{packages: []string{"internal/contractrun"}, uses: []string{everything}, tests: equipment},
	// Tests of the dashboard in a real browser, against the whole.
	{packages: []string{"internal/walk"}, uses: []string{everything}, tests: equipment},
	// Malote's processes under faults: it judges them from outside, and runs none in it.
	{packages: []string{"internal/torture"}, tests: slices.Concat(equipment, []string{"internal/delivery"})},
	{packages: []string{"internal/receiver"}, uses: []string{"internal/delivery", "internal/policy", "webhook"}},
	{
		packages: []string{"internal/demo"},
		uses:     slices.Concat(pure, []string{"internal/app", "internal/demo/payload", "internal/receiver", "client", "webhook"}),
		tests:    equipment,
	},
	{packages: []string{"internal/bench/report"}},
	{
		packages: []string{"internal/bench"},
		uses:     []string{"internal/bench/report", "internal/localpg", "internal/store", "internal/store/benchdata"},
		tests:    equipment,
	},
	{packages: []string{"internal/demo/payload"}, uses: []string{"internal/delivery"}},
	{packages: []string{"cmd/malote"}, uses: []string{everything}, tests: equipment},

	{packages: []string{"archtest"}},
}

// apart are the packages that put things together. Not even "everything"
// includes them: only who is named here may import one.
var apart = map[string][]string{
	"internal/app":   {"internal/contractrun", "internal/walk", "internal/demo", "cmd/malote"},
	"internal/demo":  {"cmd/malote"},
	"internal/bench": {"cmd/malote"},

	"internal/demo/payload": {"internal/demo"},
	"cmd/malote":            {},
	"internal/contractrun":  {},
	"internal/walk":         {},
	"archtest":              {},
}

// library says who may import a module (or all modules whose path begins so) in
// code that ships; tests may import any that is listed.
type library struct {
	module   string
	packages []string // everything: all but the pure ones and webhook
}

// Behind how few doors each library is: as many places change when it is replaced.
var libraries = []library{
	{"github.com/a-h/templ", slices.Concat([]string{"internal/dashboard"}, dashboardParts, pageGroups)},
	{"github.com/KimMachineGun/automemlimit", []string{"internal/localpg"}},
	{"github.com/alexedwards/argon2id", []string{"internal/dashboard"}},
	{"github.com/alecthomas/kong", []string{"cmd/malote"}},
	{"github.com/danielgtaylor/huma/v2", []string{"internal/api"}},
	{"github.com/emersion/go-smtp", []string{"internal/sender/smtptest"}},
	{"github.com/emersion/go-sasl", []string{"internal/sender/smtptest"}},
	{"github.com/goccy/go-yaml", []string{"internal/policy", "cmd/malote"}},
	{"cel.dev/cel-go", []string{"internal/filter"}},
	{"github.com/google/uuid", []string{"internal/delivery"}},
	{"github.com/jackc/pgx/v5", slices.Concat(storage, []string{"internal/store/pgtest", "internal/localpg", "outbox"})},
	{"github.com/pressly/goose/v3", []string{"internal/store", "internal/store/outbox"}},
	{"github.com/prometheus/client_golang", []string{"internal/metrics"}},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"internal/policy", "internal/api"}},
	{"github.com/wneessen/go-mail", []string{"internal/sender"}},
	{"go.jetify.com/typeid", []string{"internal/delivery"}},
	{"go.opentelemetry.io/otel", []string{"internal/tracing"}},
	{"golang.org/x/net/idna", []string{"internal/egress"}},
	{"golang.org/x/", []string{everything}},

	// For tests alone.
	{"github.com/chromedp/cdproto", nil},
	{"github.com/chromedp/chromedp", nil},
	{"github.com/google/go-cmp", nil},
	{"github.com/standard-webhooks/standard-webhooks/libraries", nil},
	{"github.com/stretchr/testify", nil},
	{"go.opentelemetry.io/proto/otlp", nil},
	{"google.golang.org/protobuf", nil},
	{"go.uber.org/goleak", nil},
	{"pgregory.net/rapid", nil},
}

// Parts of the standard library that reach out of the process, with all below
// them: closed to pure packages.
var outside = []string{"database/sql", "log/syslog", "net", "os", "plugin", "syscall"}

// Parts of those that only compute.
var computing = []string{"net/netip", "net/textproto", "net/url"}

// What pure packages import of outside nevertheless.
var openedTo = []exception{
	{"internal/egress", "net", "its dialer looks up names and connects, with the guard in between"},
	{"internal/egress", "syscall", "the type of the dialer's Control, which sees every address before it is connected to"},
}
