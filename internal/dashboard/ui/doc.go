// Package ui draws what all pages have in common: the frame, tables, badges,
// times, forms, dialogs and charts, each usable by keyboard, by a screen reader
// and without scripts.
//
// It knows the values that the API shows (states, error codes) and how to say
// them; it must never know how to get anything, routes of other groups but the
// addresses that it links to, or what a visitor may do beyond their role.
package ui
