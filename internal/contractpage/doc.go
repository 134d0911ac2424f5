// Package contractpage writes the page that a platform hands to its customers:
// what a delivery contract means for those who receive under it. The page is
// made from the policy alone, and what follows from an answer or a failure is
// found by asking the policy's own Decide, Schedule and the circuit's Next, so
// that no number on it can differ from the one in force.
//
// A page is composed once, as sections of blocks that know neither language nor
// format, in one of the [Languages], and then written in one of the [Formats].
// The words are in text/*.txt, one file per language with the same keys; the
// programs that verify a signature are in samples/, one file per language and
// scheme.
//
// The package must never know tenants, endpoints, storage or the time: the same
// policy and options give the same bytes. Whatever a policy's author wrote is
// escaped, in text and in programs alike.
package contractpage
