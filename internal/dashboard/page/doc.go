// Package page is what all groups of the dashboard's pages are built on: who
// looks, which routes a group has and who may use them, calls of the API on the
// visitor's behalf, and answers in a page, a part of one or a redirect.
//
// A group of pages is a package beside this one that gives a Group; the shell
// above puts the groups together and has checked session, role, method and form
// token before a handler runs. Packages of groups draw with package ui.
//
// It must never know storage, how somebody logged in, or what any one page shows.
package page
