// Package lang says what the dashboard says in each of its languages: a text is
// one value with all its translations, so that none can be missing by its name.
//
// It knows languages, numbers, lengths of time and who reads (from a context);
// it must never know what the pages are about, HTTP routes or storage.
package lang
