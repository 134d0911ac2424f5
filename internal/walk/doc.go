// Package walk has nothing but tests: the dashboard as people meet it, in a real
// browser against a whole Malote with a real PostgreSQL and real receivers. They
// walk the ways that people take (with the mouse, with the keyboard alone, with
// scripts turned off, in Portuguese, in a frame), measure every page against
// accessibility rules in both colour schemes and at two widths, and show every
// page texts that would like to be more than text.
//
// The browser is Debian's Chromium, one process for all tests, each test in a
// context of its own. Where there is none, tests fail and say how to get one.
//
// Whatever a test is about, it fails too if a page writes an error to the
// console, breaks its own content security policy, opens a dialog of the
// browser's, or asks another origin for anything.
package walk
