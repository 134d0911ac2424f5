package deliveries

import (
	"context"

	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/dashboard/ui"
)

func attemptTone(a records.Attempt) ui.Tone {
	if a.ErrorCode == "" {
		return ui.Good
	}
	return ui.Bad
}

func attemptIcon(a records.Attempt) string {
	if a.ErrorCode == "" {
		return "check"
	}
	return "close"
}

// standIn is what is said in place of a value that each attempt has its own of.
func standIn(ctx context.Context, kind headerKind) string {
	switch kind {
	case signedHeader:
		return perAttemptSignature.In(ctx)
	case timedHeader:
		return perAttemptTime.In(ctx)
	default:
		return perAttemptNumber.In(ctx)
	}
}

func checked(c *check) check {
	if c == nil {
		return check{}
	}
	return *c
}
