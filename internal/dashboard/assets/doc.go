// Package assets holds the dashboard's style sheet, scripts and icon, and serves
// them from our own origin under names that change with their content, so that
// browsers may keep them for ever.
//
// It must never know pages or visitors: what it serves is the same for everybody.
package assets
