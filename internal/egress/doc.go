// Package egress decides which URLs and addresses Malote may call, and dials
// only those.
//
// A destination is checked twice. When a URL is registered, [Guard.CheckURL]
// reads its text: what parsers disagree about, or what can only mean a machine
// inside the operator's network, is refused with a sentence for the user. When
// a connection is made, [Dialer] resolves the name once, refuses the answer as
// a whole if any address in it is forbidden, and checks the address that the
// socket is about to connect to. The first check is help for honest users, the
// second is what keeps an attacker out (G08).
//
// The package must never know about requests, events, tenants or storage, and
// it never consults the environment: a proxy variable is the transport's affair.
package egress
