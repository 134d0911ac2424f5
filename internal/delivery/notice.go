package delivery

import "time"

// Notice is what somebody is to be told, of one signal or of many alike: an
// event of OwnTenant that is about to be published.
type Notice struct {
	// Key is the event's idempotency key: the id of the first signal that it tells
	// of, with a number behind it where several people are told the same.
	Key string

	Kind SignalKind
	Type string // of the event
	Data []byte // JSON

	// To is the one e-mail address that it goes to; "": to whoever subscribed to
	// the type.
	To string

	OccurredAt time.Time // the first of the signals
}

// RecipientHeader is the header of an event that is mailed, where its endpoint's URL
// names nobody: the one address that it goes to.
const RecipientHeader = "To"

// NoticeGroup is what is told in one: the pending signals of some kinds, to
// operators or to one tenant.
type NoticeGroup struct {
	// Tenant is whom to tell, by e-mail, of its own signals; "": operators, of all
	// tenants'.
	Tenant string
	Kinds  []SignalKind
}

// Untold is what a group holds that nobody was told of yet.
type Untold struct {
	Signals []Signal // in the order in which they were raised

	// Hosts are the endpoints' hosts, by id, and Contacts their tenants'
	// addresses, by slug.
	Hosts    map[ID]string
	Contacts map[string]Contacts

	Now  time.Time                // the database's
	Last map[SignalKind]time.Time // when a kind was last told of to the same people; absent: never
}

// Contacts are whom a tenant wants to be told.
type Contacts struct {
	AlertEmails      []string // at most five (D08)
	TechnicalContact string
}

// Telling is what becomes of a group.
type Telling struct {
	Notices []Notice
	Settled []ID         // signals that need no telling any more
	Told    []SignalKind // kinds whose window begins now
}
