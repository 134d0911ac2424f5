// Package report is what a measurement came to: the figures as JSON shows them,
// tables of them for terminals, and a page with plots. It judges which rows look
// bad, and shows them all. It measures nothing and knows nobody who does.
package report
