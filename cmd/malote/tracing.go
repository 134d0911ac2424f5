package main

import "net/url"

// tracingFlags say where traces go.
type tracingFlags struct {
	OTLPEndpoint string  `name:"otlp-endpoint" env:"MALOTE_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" help:"OpenTelemetry collector to send traces to, by OTLP over HTTP, such as http://127.0.0.1:4318. No traces if left out." placeholder:"URL"`
	TraceRatio   float64 `help:"Share of publishes that begin a trace, 0 to 1; those that come with a traceparent are traced as it says." default:"0.01"`
}

func (f *tracingFlags) endpoint() (string, error) {
	if f.TraceRatio < 0 || f.TraceRatio > 1 {
		return "", &usageError{"--trace-ratio must be from 0 to 1"}
	}
	if f.OTLPEndpoint == "" {
		return "", nil
	}
	address, err := url.Parse(f.OTLPEndpoint)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return "", &usageError{"--otlp-endpoint must be like http://127.0.0.1:4318"}
	}
	return f.OTLPEndpoint, nil
}
