package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/malotehq/malote/internal/bench/report"
)

// describe notes what the figures are of. It is also the first to find out that
// there is no PostgreSQL.
func (b *bench) describe(ctx context.Context) error {
	b.report.Malote = build()
	b.report.Machine = report.Machine{
		CPU: fieldOf("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), Memory: memory(),
		System: system(), Load: loadAverage(), Private: b.DatabaseURL == "",
	}
	s, err := b.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	version, settings, err := s.admin.Settings(ctx)
	b.report.Database.Version = version
	for _, setting := range settings {
		b.report.Database.Settings = append(b.report.Database.Settings, report.Setting(setting))
	}
	return err
}

func build() report.Build {
	b := report.Build{Version: "dev", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value[:min(12, len(setting.Value))]
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

// fieldOf is the value of the first line of a file of /proc that has the name; ""
// where there is none, as on other systems than Linux.
func fieldOf(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() (bytes int64) {
	if _, err := fmt.Sscanf(fieldOf("/proc/meminfo", "MemTotal"), "%d kB", &bytes); err != nil {
		return 0
	}
	return bytes << 10
}

func loadAverage() (load float64) {
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	if err != nil {
		return 0
	}
	return load
}

func system() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOOS
	}
	return "Linux " + strings.TrimSpace(string(text))
}
