// Package circuit decides how many deliveries an endpoint may be sent at a
// time, from how the last ones went: it pauses an endpoint that keeps failing,
// slows down one that asks for it or answers slowly, warns about one that has
// been failing for days and says when to disable it.
//
// All of it is plain data in, plain data out. The package must never know
// where the state is kept, who sends, or what time it is: a caller that keeps
// the state in a database and calls Next inside the transaction that records
// an attempt gets one exact circuit over all its workers.
//
// # Transitions
//
// The phase that an instant sees is Closed, Open (paused) or HalfOpen (the
// pause is over, nothing has succeeded yet). k is the number of failures in a
// row, N is Settings.Failures.
//
//	phase     what came                            then
//	--------  -----------------------------------  -----------------------------------------
//	Closed    success                              k = 0
//	Closed    failure, k+1 < N                     k = k+1
//	Closed    failure, k+1 >= N                    Open; pause 1 begins; signal CircuitOpened
//	Open      claim                                none allowed
//	Open      straggler's failure                  k = k+1; Escalating: the pause may grow,
//	                                               never shrink; HalfOpenProbe: unchanged
//	Open      straggler's success                  noted as last success, nothing else
//	Open      the clock reaches PausedUntil        HalfOpen
//	HalfOpen  claim                                Escalating: up to the limit;
//	                                               HalfOpenProbe: exactly one
//	HalfOpen  probe's failure                      Open; k = k+1; the next, longer pause
//	HalfOpen  probe's success                      Closed; k = 0; signal CircuitClosed
//
// A straggler is an attempt that was under way when the circuit opened; a probe
// is one claimed after a pause had ended. Instants of claims and completions
// come from one clock, the database's. A probe that succeeds closes the circuit
// even if another probe failed first and began a new pause: which of the two
// was recorded first is chance, and must not matter.
//
// Slowing down and disabling are apart from this: each has its own file.
package circuit
