// Package archtest holds the module to its architecture: who may import whom,
// where the clock, chance and SQL are kept out, how long a file may grow, what
// every package and dependency must say about itself.
//
// It is nothing but failing tests. They read the source as text, so they see
// every file whatever its build constraints, need no build and no database, and
// take a second; only what public packages bring along is asked of the go command. Each check is a function over files, and is itself tested with
// source that breaks its rule. What a rule says is data: layers_test.go for
// imports, the head of each file for the rest.
package archtest
