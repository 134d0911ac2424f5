package redelivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/malotehq/malote/internal/delivery"
)

// Why Resolve refuses.
var (
	ErrNotFound   = errors.New("there is no such delivery")
	ErrNotDead    = errors.New("only dead deliveries can be resolved")
	ErrResolution = errors.New("the reason must be 10 to 1,000 characters of text")
)

const (
	shortestResolution = 10
	longestResolution  = 1000
)

//go:embed queries/resolve.sql
var resolveSQL string

//go:embed queries/exists.sql
var existsSQL string

// Resolve takes a dead delivery off the list of those that wait for somebody,
// and keeps the reason given: 10 to 1,000 characters, white space around it not
// counted (D11). Nothing is sent.
func (w *Writer) Resolve(ctx context.Context, id delivery.ID, reason string) error {
	text, err := resolution(reason)
	if err != nil {
		return err
	}
	shown := id.Format(delivery.DeliveryPrefix)
	done, err := w.store.Pool().Exec(ctx, resolveSQL, id.Shard(), id, delivery.ResolvedByUser, text)
	if err != nil {
		return fmt.Errorf("resolving delivery %s: %w", shown, err)
	}
	if done.RowsAffected() == 1 {
		return nil
	}
	var exists bool
	if err := w.store.Pool().QueryRow(ctx, existsSQL, id.Shard(), id).Scan(&exists); err != nil {
		return fmt.Errorf("resolving delivery %s: %w", shown, err)
	}
	if !exists {
		return fmt.Errorf("resolving delivery %s: %w", shown, ErrNotFound)
	}
	return fmt.Errorf("resolving delivery %s: %w", shown, ErrNotDead)
}

// resolution is the text to keep. PostgreSQL takes no NUL.
func resolution(reason string) (string, error) {
	text := strings.TrimSpace(reason)
	length := utf8.RuneCountInString(text)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || length < shortestResolution || length > longestResolution {
		return "", ErrResolution
	}
	return text, nil
}
