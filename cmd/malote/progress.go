package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells a person at a terminal what a command is doing, once that has
// taken a second. Elsewhere it says nothing.
type progress struct {
	out  io.Writer
	stop func() // ends it and removes what it wrote

	mu   sync.Mutex
	text string
}

// Progress shows after, and then changes every, so much time.
const (
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond
)

// eraseLine takes a terminal's line away again (ECMA-48).
const eraseLine = "\r\x1b[2K"

func (e *environment) progress(text string) *progress {
	p := &progress{out: e.stderr, text: text, stop: func() {}}
	if !isTerminal(e.stderr) || !e.busy.TryLock() {
		return p // what already shows something covers this as well
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go p.show(ended, gone)
	p.stop = sync.OnceFunc(func() {
		close(ended)
		<-gone
		e.busy.Unlock()
	})
	return p
}

// say replaces the text.
func (p *progress) say(format string, arguments ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = fmt.Sprintf(format, arguments...)
}

// barWidth is in characters.
const barWidth = 24

// bar draws how much of something is done.
func bar(done, total int) string {
	full := barWidth
	if done = min(done, total); total > 0 {
		full = barWidth * done / total
	}
	return fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat("-", barWidth-full), done, total)
}

func (p *progress) show(ended <-chan struct{}, gone chan<- struct{}) {
	defer close(gone)
	began := time.Now()
	next := time.NewTimer(progressAfter)
	defer next.Stop()
	shown := false
	for {
		select {
		case <-ended:
			if shown {
				fmt.Fprint(p.out, eraseLine)
			}
			return
		case <-next.C:
			p.mu.Lock()
			fmt.Fprintf(p.out, "%s%s … %s", eraseLine, p.text, brief(time.Since(began)))
			p.mu.Unlock()
			shown = true
			next.Reset(progressEvery)
		}
	}
}

// isTerminal says whether a person reads what is written there.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
