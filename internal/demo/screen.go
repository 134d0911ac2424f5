package demo

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// The commands of a terminal (ECMA-48).
const (
	eraseLine  = "\x1b[K" // from the cursor on
	eraseBelow = "\x1b[J"
)

// screen shows boards: on a terminal each in the place of the one before,
// elsewhere as blocks of lines from time to time.
type screen struct {
	out           io.Writer
	terminal      bool
	width, height int // 0: the terminal's own
	palette       palette
	blocks        time.Duration

	drawn     int // lines on the terminal that the next board replaces
	lastBlock time.Time
	lastPhase phase
}

func newScreen(o Options) *screen {
	return &screen{
		out: o.Out, terminal: o.Terminal, width: o.Width, height: o.Height,
		palette: paletteFor(o.Terminal), blocks: o.blocks,
	}
}

func (s *screen) show(b *board) {
	if s.terminal {
		s.redraw(b)
		return
	}
	if b.phase == s.lastPhase && b.at.Sub(s.lastBlock) < s.blocks {
		return
	}
	s.lastBlock, s.lastPhase = b.at, b.phase
	v := view{width: cmp.Or(s.width, defaultWidth), height: cmp.Or(s.height, defaultHeight)}
	text := strings.Join(v.lines(b), "\n")
	_, _ = fmt.Fprintf(s.out, "%s\n%s\n\n", b.at.Local().Format("15:04:05"), text) // a closed pipe must not stop the demo
}

// redraw leaves the last column and line free: writing there makes some
// terminals scroll.
func (s *screen) redraw(b *board) {
	width, height := s.size()
	v := view{width: width - 1, height: height - 1, palette: s.palette}
	lines := v.lines(b)
	lines = lines[:min(len(lines), max(height-1, 1))]
	var out strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA\r", s.drawn)
	}
	for _, line := range lines {
		out.WriteString(line + eraseLine + "\n")
	}
	out.WriteString(eraseBelow)
	s.drawn = len(lines)
	_, _ = io.WriteString(s.out, out.String())
}

func (s *screen) size() (width, height int) {
	width, height = s.width, s.height
	if file, ok := s.out.(*os.File); ok && (width == 0 || height == 0) {
		if w, h, err := term.GetSize(int(file.Fd())); err == nil {
			width, height = cmp.Or(width, w), cmp.Or(height, h)
		}
	}
	return cmp.Or(width, defaultWidth), cmp.Or(height, defaultHeight)
}
