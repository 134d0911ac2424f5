package store

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

// encodeHeaders keeps the order and every repetition; NULL where there are none.
func encodeHeaders(headers []delivery.Header) pgtype.Text {
	if len(headers) == 0 {
		return pgtype.Text{}
	}
	pairs := make([][2]string, len(headers))
	for i, h := range storedHeaders(headers) {
		pairs[i] = [2]string{h.Name, h.Value}
	}
	encoded, err := json.Marshal(pairs)
	if err != nil {
		panic(fmt.Sprintf("store: pairs of strings were refused: %v", err))
	}
	return pgtype.Text{String: string(encoded), Valid: true}
}

// storedHeaders are headers as they come back from the database.
func storedHeaders(headers []delivery.Header) []delivery.Header {
	if len(headers) == 0 {
		return nil
	}
	stored := make([]delivery.Header, len(headers))
	for i, h := range headers {
		stored[i] = delivery.Header{Name: storable(h.Name), Value: storable(h.Value)}
	}
	return stored
}

// DecodeHeaders reads an event's headers as they are stored; nil: it has none.
func DecodeHeaders(encoded []byte) ([]delivery.Header, error) {
	if encoded == nil {
		return nil, nil
	}
	var pairs [][2]string
	if err := json.Unmarshal(encoded, &pairs); err != nil {
		return nil, fmt.Errorf("reading an event's headers: %w", err)
	}
	headers := make([]delivery.Header, len(pairs))
	for i, pair := range pairs {
		headers[i] = delivery.Header{Name: pair[0], Value: pair[1]}
	}
	return headers, nil
}
