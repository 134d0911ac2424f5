// Package maintenance is what must happen from time to time: leases of lost
// workers are given up, stranded lanes are found, partitions are made ahead, old
// keys are removed; and, by those whom it is given for that, what is too old is
// retired, endpoints and dead letters are watched over, people told of what that
// brings, recoveries carried on.
//
// Every process runs it, and each run of a task happens in one of them: whoever
// moves the task's time forward in the database. A process that dies in the
// middle costs one period. It must never know SQL: storage is an interface.
package maintenance
