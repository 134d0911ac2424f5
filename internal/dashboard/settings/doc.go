// Package settings has the pages of what is set up and who may come in: API
// keys, users, tenants, the audit log, and what this Malote is.
//
// What is shown once, a key or a one-time link, goes from the API's answer into
// the one page that shows it, and nowhere else: not into a notice, an address or
// a log. The package decides nothing that the API does not decide too, but that
// who takes the administrator's role away from themselves has to confirm it.
package settings
