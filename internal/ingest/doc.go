// Package ingest is the inbound door: what a provider posts to /in/{source_id} is
// verified, told from repetitions, committed, and only then acknowledged (G01).
// A webhook comes only once, and its sender takes the 200 for a receipt.
//
// # What is signed, stored and passed on
//
// The bytes of a body are never written anew. A content coding (gzip, deflate) is
// a matter between the sender's HTTP library and ours: providers sign what they
// meant to say, before their library packed it. So a coding is undone first, under
// the same bound as the body itself, and what comes out is verified, stored and
// passed on, without the coding's header. For the odd sender that signs the packed
// bytes a source has "content_encoding": "as_received": then nothing is unpacked,
// the packed bytes are verified and stored, and the header goes with them.
//
// # What is answered
//
//	200 (or the provider's own receipt)  committed, or a repetition of what is
//	400  what cannot be read: the body, a batch, a handshake
//	401  not known to be genuine: signature, token, time, or the header that has them
//	403  genuine perhaps, but not for this source: its address or topic is another
//	404  there is no such source, whether or not there ever was
//	405, 408, 413, 415  as HTTP means them
//	429  over the source's rate
//	503  come again: too much at once, paused, not set up yet, a key or the database
//	     could not be had; whether the event was committed may then be unknown, and
//	     the provider's next try finds out
//
// Whatever is wrong with a signature is a 401, misspelt ones included: Discord
// tries some out and expects it. What is wrong with our own settings is a 503 and
// never a 4xx, after which some providers would not come again.
//
// # Bounds
//
// Requests at once, per source and in all, and the bytes they hold are bounded;
// what is over is told so at once. Bodies that do not come soon are waited for in
// places apart, so that those who send slowly shut the door for nobody. Nothing on the way asks a service that could be
// left out (G12): limits are kept in the process, and the database, without which
// nothing can be promised, is waited for less than a second in all.
//
// The package must never know SQL, how events are delivered, or how a provider
// signs: that is package source's.
package ingest
