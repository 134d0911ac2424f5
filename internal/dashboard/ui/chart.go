package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
)

// ChartView is what a chart shows: every series has a value for each time, NaN
// where there is none.
type ChartView struct {
	ID     string // unique in the page
	Title  lang.Text
	Times  []time.Time
	Series []Series
	Unit   string // behind the values, such as "ms"
}

// Series is a line of a chart.
type Series struct {
	Label  lang.Text
	Tone   Tone
	Values []float64
	Bars   bool // bars instead of a line
	Digits int  // behind the point
}

// ChartData is what a stream sends for a chart: the times in seconds, then the
// values of every series.
func (c ChartView) ChartData() [][]*float64 {
	data := make([][]*float64, 1, len(c.Series)+1)
	for _, at := range c.Times {
		seconds := float64(at.UnixMilli()) / 1000
		data[0] = append(data[0], &seconds)
	}
	for _, s := range c.Series {
		column := make([]*float64, len(s.Values))
		for i, value := range s.Values {
			if !math.IsNaN(value) && !math.IsInf(value, 0) {
				column[i] = &value
			}
		}
		data = append(data, column)
	}
	return data
}

type seriesJSON struct {
	Label  string `json:"label"`
	Tone   Tone   `json:"tone"`
	Bars   bool   `json:"bars"`
	Digits int    `json:"digits"`
}

func (c ChartView) encoded(ctx context.Context) string {
	series := make([]seriesJSON, len(c.Series))
	for i, s := range c.Series {
		series[i] = seriesJSON{s.Label.In(ctx), s.Tone, s.Bars, s.Digits}
	}
	encoded, err := json.Marshal(map[string]any{
		"time": timeText.In(ctx), "unit": c.Unit, "series": series, "data": c.ChartData(),
	})
	if err != nil {
		panic(fmt.Sprintf("ui: a chart cannot be encoded: %v", err))
	}
	return string(encoded)
}

func (s Series) cell(ctx context.Context, i int) string {
	if i >= len(s.Values) || math.IsNaN(s.Values[i]) {
		return "–"
	}
	return lang.Decimal(ctx, s.Values[i], s.Digits)
}
