package ui

import (
	"math"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/records"
)

var (
	attemptsTitle = lang.Text{EN: "Attempts by the hour", PT: "Tentativas por hora"}
	latencyTitle  = lang.Text{EN: "How long attempts take", PT: "Quanto as tentativas levam"}
	okText        = lang.Text{EN: "Succeeded", PT: "Com sucesso"}
	failedText    = lang.Text{EN: "Failed", PT: "Com falha"}
	p50Text       = lang.Text{EN: "Median", PT: "Mediana"}
	p95Text       = lang.Text{EN: "95 of 100", PT: "95 de 100"}
	p99Text       = lang.Text{EN: "99 of 100", PT: "99 de 100"}
)

// AttemptCharts are attempts by the hour, and how long they took.
func AttemptCharts(series records.Series) []ChartView {
	attempts := ChartView{ID: "chart-attempts", Title: attemptsTitle, Series: []Series{
		{Label: okText, Tone: Good, Bars: true}, {Label: failedText, Tone: Bad},
	}}
	latency := ChartView{ID: "chart-latency", Title: latencyTitle, Unit: "ms", Series: []Series{
		{Label: p50Text, Tone: Neutral}, {Label: p95Text, Tone: Busy}, {Label: p99Text, Tone: Warn},
	}}
	for _, hour := range series.Data {
		attempts.Times, latency.Times = append(attempts.Times, hour.Hour), append(latency.Times, hour.Hour)
		for i, value := range []float64{float64(hour.OK), float64(hour.Failed)} {
			attempts.Series[i].Values = append(attempts.Series[i].Values, value)
		}
		for i, value := range []*float64{hour.P50, hour.P95, hour.P99} {
			latency.Series[i].Values = append(latency.Series[i].Values, orNaN(value))
		}
	}
	return []ChartView{attempts, latency}
}

func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}
