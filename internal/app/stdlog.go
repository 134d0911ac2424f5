package app

import (
	"log"
	"log/slog"
)

// quietStandardLog sends what libraries write to the standard logger to the
// debug level. net/http complains there about unsolicited answers and quotes
// them: an endpoint could write into our log.
func quietStandardLog(to *slog.Logger) {
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(to.Handler(), slog.LevelDebug).Writer())
}
