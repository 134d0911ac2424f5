// Package client talks to Malote's HTTP API: it publishes events, manages the
// endpoints that they are delivered to, says what became of every delivery, and
// sends again what failed.
//
//	c, err := client.New("https://malote.example.com", os.Getenv("MALOTE_API_KEY"))
//	…
//	published, err := c.Publish(ctx, client.NewEvent{
//		Tenant: "acme", Type: "invoice.paid", Data: json.RawMessage(`{"invoice": 42}`), IdempotencyKey: "invoice-42-paid",
//	})
//
// A [Client] is made once and shared: all of its methods may be called
// concurrently.
//
// # What is sent is what you give
//
// [NewEvent.Data] reaches Malote, and by Malote's word the receiver, in the very
// bytes that it has: nothing is decoded and encoded again, so key order, white
// space between members and numbers of any length stay as they are.
// [NewEvent.Body] does the same for what is not JSON.
//
// # Trying again
//
// A request is sent again, by default up to four times within seconds (see
// [Backoff]), when the connection failed, no answer came in time, or the answer
// was 429, 502, 503 or 504. Retry-After is honoured: no try is made before it,
// and where it is longer than [Backoff.Longest] or than the context allows, the
// answer is returned instead, as an [Error] that says when to come back.
//
// Only what does no harm when it arrives twice is sent again:
//
//   - whatever only reads;
//   - publishing: every event has an idempotency key, the caller's or else one
//     that the call makes, so that a repeat after a lost answer adds nothing and
//     is told with [Published.Duplicate];
//   - whatever creates (endpoints, secrets, keys, tenants, policies, recoveries):
//     a header Idempotency-Key, again the caller's or the call's own. An answer
//     to a repeat has no secret in it; see [Client.CreateEndpoint];
//   - pausing, resuming and disabling an endpoint, and cancelling a recovery,
//     which do nothing the second time.
//
// Changes, deletions, replays, test events and the like are sent once.
// When one of those fails without an answer, whether it took effect is not known.
//
// A key that the call makes is gone with the call. A program that repeats a
// failed publish itself, perhaps after a restart, gives a key of its own, made
// from what it publishes: the same key and event make the repeat harmless for 7
// days.
//
// # Time
//
// Every method takes a context, which bounds the whole call with its tries and
// pauses. Each try has a limit of its own, by default [DefaultTimeout]; methods
// that last as long as a receiver or a backlog makes them say so, and wait for
// at least [LongTimeout].
//
// # Lists
//
// Methods in the plural, such as [Client.Deliveries], go through a whole list
// and fetch its pages as they are needed; those ending in Page give one page and
// the cursor of the next.
//
//	for delivery, err := range c.Deliveries(ctx, client.DeliveryFilter{Tenant: "acme", State: client.StateDead}) {
//		if err != nil {
//			return err // the list ends with it
//		}
//		…
//	}
//
// # Errors
//
// An answer that is no success is an [*Error]. Its [Code] is what programs
// branch on, and is itself what errors.Is finds:
//
//	if errors.Is(err, client.CodeNotFound) { … }
//
// A [*ConnectionError] means that no whole answer came, an [*AnswerError] that a
// success could not be read, an [*ArgumentError] that nothing was sent. No error
// says the API key.
//
// # What it does not do
//
// It follows no redirect, because a key is for one server; it reads no answer
// beyond a limit ([WithMaxAnswer]); it logs nothing, and keeps nothing but idle
// connections. What has no method here, such as sources, [Client.Call], [Do] and
// [List] reach.
//
// The package depends on the standard library alone. It must never know how
// Malote works inside: all that it relies on is in the API's documentation, at
// /docs of a running Malote.
package client
