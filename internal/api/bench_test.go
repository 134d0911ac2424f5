package api

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/malotehq/malote/internal/publish"
)

// stubPublisher accepts everything and keeps nothing.
type stubPublisher struct{ *memory }

func (stubPublisher) Publish(_ context.Context, requests []publish.Request) ([]publish.Result, error) {
	return make([]publish.Result, len(requests)), nil
}

// discardWriter is a connection that costs nothing.
type discardWriter struct{ header http.Header }

func (d *discardWriter) Header() http.Header         { return d.header }
func (d *discardWriter) Write(p []byte) (int, error) { return len(p), nil }
func (d *discardWriter) WriteHeader(status int) {
	if status != http.StatusAccepted {
		panic(status)
	}
}

func benchmarkPublish(b *testing.B, path, body string) {
	r := newRigWith(b, func(o *Options) {
		o.Publisher, o.MaxBodyBytes, o.Log = stubPublisher{o.Publisher.(*memory)}, DefaultMaxBodyBytes, slog.New(slog.DiscardHandler)
	})
	reader := strings.NewReader(body)
	request, err := http.NewRequest(http.MethodPost, path, io.NopCloser(reader))
	if err != nil {
		b.Fatal(err)
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Authorization", "Bearer "+publishKey)
	request.Header.Set("Content-Type", "application/json")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(body)
		r.handler.ServeHTTP(&discardWriter{http.Header{}}, request)
	}
}

func BenchmarkPublish_480B(b *testing.B) {
	benchmarkPublish(b, "/v1/events", `{"type":"invoice.paid","data":{"text":"`+string(bytes.Repeat([]byte("x"), 440))+`"}}`)
}

func BenchmarkPublish_200KB(b *testing.B) {
	benchmarkPublish(b, "/v1/events", `{"type":"invoice.paid","data":["`+strings.Repeat(`some words and \"quotes\"","`, 8000)+`"]}`)
}

func BenchmarkPublishBatch_1000(b *testing.B) {
	event := `{"type":"invoice.paid","data":{"text":"` + string(bytes.Repeat([]byte("x"), 440)) + `"}},`
	benchmarkPublish(b, "/v1/events/batch", `{"events":[`+strings.TrimSuffix(strings.Repeat(event, MaxBatch), ",")+`]}`)
}
