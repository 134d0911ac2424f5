// Package seal keeps short values secret at rest: signing secrets and the
// headers that are never shown. It seals them with AES-256-GCM (NIST SP
// 800-38D) under a key that the operator gives from a file or the environment.
//
// A sealed value is bound to where it is kept (its context): moved to another
// row it does not open. It says nothing of which key it is under; that is stored
// beside it, as the key's id.
//
// The package is pure. It must never know where keys come from or where values
// are kept, and it never shows a key: printed, logged or encoded, keys and
// keyrings are placeholders.
package seal
