package archtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// promtool is Prometheus' own checker; scripts/install-needs promtool brings it.
func promtool(t *testing.T, arguments ...string) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		program, err = filepath.Abs(filepath.Join(moduleRoot, "bin/promtool"))
		require.NoError(t, err)
		_, err = os.Stat(program)
		require.NoError(t, err, "run make test, which brings promtool, or scripts/install-needs promtool")
	}
	output, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func TestDeploy_AlertRulesHold(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", filepath.Join(moduleRoot, "deploy/prometheus/alerts.yml"))
	promtool(t, "test", "rules", filepath.Join(moduleRoot, "deploy/prometheus/alerts_test.yml"))
}

// dashboard is what matters of one of Grafana's.
type dashboard struct {
	UID    string
	Panels []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr string }
	}
}

// Every question that a dashboard asks is one that Prometheus understands.
func TestDeploy_DashboardsAskWhatPrometheusUnderstands(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(moduleRoot, "deploy/grafana/*.json"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboards\n    rules:\n")
	uids := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var board dashboard
		require.NoError(t, json.Unmarshal(text, &board), file)
		require.False(t, uids[board.UID], "two dashboards have the uid %q", board.UID)
		uids[board.UID] = true
		require.NotEmpty(t, board.Panels, file)
		for _, panel := range board.Panels {
			require.LessOrEqual(t, panel.GridPos.X+panel.GridPos.W, 24, panel.Title)
			require.NotEmpty(t, panel.Targets, panel.Title)
			for i, target := range panel.Targets {
				expression := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
				fmt.Fprintf(&rules, "      - record: panel:%s:%d_%d\n        expr: %q\n", strings.ReplaceAll(board.UID, "-", "_"), panel.ID, i, expression)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "rules.yml")
	require.NoError(t, os.WriteFile(path, []byte(rules.String()), 0o600))
	promtool(t, "check", "rules", path)
}
