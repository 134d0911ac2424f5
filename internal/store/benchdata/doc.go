// Package benchdata is what malote bench needs of SQL: the database's own counters
// and settings, databases that come and go with a measurement, queues of any length
// made by the database itself, and the bare statements that a delivery cannot do
// without, as the limit to measure against.
//
// It must never be used on a database that holds anything worth keeping.
package benchdata
