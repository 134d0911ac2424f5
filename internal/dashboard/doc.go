// Package dashboard serves Malote's pages to people: log-in and sessions, roles,
// the protection of forms, languages and the frame around everything. The pages
// themselves are groups in packages below; groups.go lists them.
//
// Everything that a page shows or does goes through the API, in process, on the
// visitor's behalf (docs/decisions/0011-dashboard.md): the API holds a customer
// to the customer's own things, and what a page can do, anybody could build.
//
// It must never know SQL or the packages that keep things, and never hand on
// bytes of others but as text, or as a file that no browser runs. Passwords and
// tokens go no further than from a form to their hash.
package dashboard
