package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/simulate"
)

// Where things are on a plot, in its own units.
const (
	plotWidth, plotHeight   = 1000, 580
	plotLeft, plotRight     = 92, 964
	plotTop, plotBottom     = 152, 506
	titleX, titleY, legendY = 36, 44, 124
)

var lineColours = map[simulate.System]string{
	simulate.OneQueue:          "#c2410c",
	simulate.Lanes:             "#0f766e",
	simulate.LanesWithoutQuota: "#6d28d9",
}

// How the two percentiles are drawn.
const (
	medianStroke = `stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"`
	tailStroke   = `stroke-width="1.5" stroke-linejoin="round" stroke-dasharray="5 4"`
)

// plot is an SVG in the making. It brings its own light background, so that it
// can be read on a dark page too.
type plot struct {
	text strings.Builder
	x    timeAxis
	y    logAxis
}

// incidentPlot draws what the healthy destinations felt: a line for each
// system's p50 and p99 by the time of publishing.
func incidentPlot(incident simulate.Incident, results []simulate.Result) []byte {
	least, most := time.Duration(math.MaxInt64), time.Millisecond
	for _, r := range results {
		for _, s := range r.Samples {
			if s.P50 > 0 {
				least, most = min(least, s.P50), max(most, s.P99)
			}
		}
	}
	p := &plot{
		x: timeAxis{incident.Duration, plotLeft, plotRight},
		y: newLogAxis(min(least, most), most, plotTop, plotBottom),
	}
	p.open(incident, results)
	p.window(incident)
	p.grid()
	for _, r := range results {
		p.line(r)
	}
	p.legend(results)
	p.text.WriteString("</svg>\n")
	return []byte(p.text.String())
}

func (p *plot) add(format string, arguments ...any) {
	fmt.Fprintf(&p.text, format+"\n", arguments...)
}

func (p *plot) open(incident simulate.Incident, results []simulate.Result) {
	healthy := incident.Destinations - incident.SlowDestinations
	title := fmt.Sprintf("What %s healthy %s while %s", grouped(healthy), noun(healthy, "destination")+feel(healthy), isSlow(incident.SlowDestinations))
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">`,
		plotWidth, plotHeight, plotWidth, plotHeight)
	p.add(`<title id="title">%s</title>`, escaped(title))
	p.add(`<desc id="description">%s</desc>`, escaped(plotDescription(incident, results)))
	p.add(`<rect x="0.5" y="0.5" width="%d" height="%d" rx="12" fill="#ffffff" stroke="#d6d3d1"/>`, plotWidth-1, plotHeight-1)
	p.label(titleX, titleY, `font-size="20" font-weight="600" fill="#1c1917"`, title)
	p.label(titleX, titleY+24, `font-size="13.5" fill="#57534e"`, healthySentence(incident))
	p.label(titleX, titleY+43, `font-size="13.5" fill="#57534e"`, slowSentence(incident))
}

func feel(n int) string {
	if n == 1 {
		return " feels"
	}
	return " feel"
}

func isSlow(n int) string {
	if n == 1 {
		return "one other is slow"
	}
	return grouped(n) + " others are slow"
}

func plotDescription(incident simulate.Incident, results []simulate.Result) string {
	var text strings.Builder
	text.WriteString(incidentSentence(incident) + " Time from publish to delivery for the healthy ones, of events published meanwhile:")
	for i, r := range results {
		if i > 0 {
			text.WriteByte(';')
		}
		fmt.Fprintf(&text, " %s, p50 %s and p99 %s", systemNames[r.System], latency(r.Healthy.During.P50), latency(r.Healthy.During.P99))
	}
	return text.String() + "."
}

// window shades the time in which destinations are slow.
func (p *plot) window(incident simulate.Incident) {
	from, until := p.x.x(incident.SlowFrom), p.x.x(incident.SlowUntil)
	p.add(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#fef3c7"/>`, from, plotTop, until-from, plotBottom-plotTop)
	p.label((from+until)/2, plotTop+18, `font-size="12.5" fill="#854d0e" text-anchor="middle"`, "answers take "+exact(incident.SlowAnswer))
}

func (p *plot) grid() {
	for _, at := range p.y.ticks() {
		y := p.y.y(at)
		p.add(`<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#1c1917" stroke-opacity="0.1"/>`, plotLeft, plotRight, y, y)
		p.label(plotLeft-10, y+4, `font-size="12.5" fill="#57534e" text-anchor="end"`, tickLabel(at))
	}
	p.add(`<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#78716c"/>`, plotLeft, plotRight, plotBottom, plotBottom)
	for _, at := range p.x.ticks() {
		x := p.x.x(at)
		p.add(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#78716c"/>`, x, x, plotBottom, plotBottom+5)
		p.label(x, plotBottom+21, `font-size="12.5" fill="#57534e" text-anchor="middle"`, elapsed(at))
	}
	p.label((plotLeft+plotRight)/2, plotBottom+48, `font-size="13" fill="#44403c" text-anchor="middle"`, "when the event was published, since the beginning")
	middle := (plotTop + plotBottom) / 2
	p.label(26, float64(middle), fmt.Sprintf(`font-size="13" fill="#44403c" text-anchor="middle" transform="rotate(-90 26 %d)"`, middle), "publish to delivered (log scale)")
}

// line draws one system: p50, p99 and what is between them.
func (p *plot) line(r simulate.Result) {
	colour := lineColours[r.System]
	for _, piece := range unbroken(r.Samples) {
		var upper, lower []string
		for _, s := range piece {
			x := p.x.x(s.Until - r.Samples[0].Until/2) // the middle of its piece of time
			upper = append(upper, fmt.Sprintf("%.1f,%.1f", x, p.y.y(s.P99)))
			lower = append(lower, fmt.Sprintf("%.1f,%.1f", x, p.y.y(s.P50)))
		}
		outline := strings.Join(upper, " ")
		for i := len(lower) - 1; i >= 0; i-- {
			outline += " " + lower[i]
		}
		p.add(`<polygon points="%s" fill="%s" fill-opacity="0.12"/>`, outline, colour)
		p.add(`<polyline points="%s" fill="none" stroke="%s" %s/>`, strings.Join(upper, " "), colour, tailStroke)
		p.add(`<polyline points="%s" fill="none" stroke="%s" %s/>`, strings.Join(lower, " "), colour, medianStroke)
	}
}

// unbroken are the runs of samples in which something was published.
func unbroken(samples []simulate.Sample) [][]simulate.Sample {
	var runs [][]simulate.Sample
	isOpen := false
	for _, s := range samples {
		if s.P50 <= 0 {
			isOpen = false
			continue
		}
		if !isOpen {
			runs = append(runs, nil)
			isOpen = true
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], s)
	}
	return runs
}

// legend names the lines. How wide the names are is a guess.
func (p *plot) legend(results []simulate.Result) {
	const perLetter, mark, gap = 7.4, 34.0, 24.0
	x := float64(titleX)
	entry := func(colour, style, name string) {
		p.add(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s" %s/>`, x, x+mark-8, legendY-4, legendY-4, colour, style)
		p.label(x+mark, legendY, `font-size="13" fill="#292524"`, name)
		x += mark + perLetter*float64(len(name)) + gap
	}
	for _, r := range results {
		entry(lineColours[r.System], `stroke-width="4"`, systemNames[r.System])
	}
	entry("#57534e", medianStroke, "p50")
	entry("#57534e", tailStroke, "p99")
}

// label writes text; its looks are attributes.
func (p *plot) label(x, y float64, looks, text string) {
	p.add(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, looks, escaped(text))
}

func escaped(text string) string {
	var safe strings.Builder
	_ = xml.EscapeText(&safe, []byte(text)) // a Builder takes everything
	return safe.String()
}
