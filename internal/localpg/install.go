package localpg

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest PostgreSQL that Malote's SQL runs on.
const oldestMajor = 15

// installation is one set of server binaries.
type installation struct {
	major int
	bin   string // directory, symbolic links resolved
}

func (i installation) program(name string) string { return filepath.Join(i.bin, name) }

// places says where to look for installations.
type places struct {
	path  string   // directories like $PATH, for postgres itself and for pg_config
	globs []string // patterns of bin directories
}

func systemPlaces() places {
	return places{path: os.Getenv("PATH"), globs: []string{"/usr/lib/postgresql/*/bin"}}
}

// find returns the usable installations, newest first and, among equals, in the
// order of places; ErrNoBinaries if there is none. An installation that the
// account may not execute does not count.
func (p places) find(ctx context.Context, who account) ([]installation, error) {
	var found []installation
	for _, bin := range p.candidates(ctx, who) {
		if slices.ContainsFunc(found, func(i installation) bool { return i.bin == bin }) {
			continue
		}
		out, err := who.command(ctx, "/", filepath.Join(bin, "postgres"), "--version").Output()
		if err != nil {
			continue
		}
		if major := parseMajor(string(out)); major >= oldestMajor {
			found = append(found, installation{major: major, bin: bin})
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNoBinaries
	}
	slices.SortStableFunc(found, func(a, b installation) int { return cmp.Compare(b.major, a.major) })
	return found, nil
}

// candidates lists directories that hold both postgres and initdb.
func (p places) candidates(ctx context.Context, who account) []string {
	directories := filepath.SplitList(p.path)
	for _, dir := range filepath.SplitList(p.path) {
		config := filepath.Join(dir, "pg_config")
		if _, err := exec.LookPath(config); err != nil {
			continue
		}
		if out, err := who.command(ctx, "/", config, "--bindir").Output(); err == nil {
			directories = append(directories, strings.TrimSpace(string(out)))
		}
	}
	for _, glob := range p.globs {
		matches, _ := filepath.Glob(glob) // fails only for a malformed pattern, and ours are constants
		directories = append(directories, matches...)
	}
	var bins []string
	for _, dir := range directories {
		// A link to postgres alone, as in /usr/local/bin, leads to the real directory.
		server, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
		if err != nil || !filepath.IsAbs(server) {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(filepath.Dir(server), "initdb")); err == nil {
			bins = append(bins, filepath.Dir(server))
		}
	}
	return bins
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) (\d+)`)

// parseMajor reads the output of postgres --version; 0 if it is something else.
func parseMajor(line string) int {
	match := versionLine.FindStringSubmatch(line)
	if match == nil {
		return 0
	}
	major, _ := strconv.Atoi(match[1]) // digits; out of range gives the largest int, which is as wrong
	return major
}

// choose picks the newest installation, or the one that a cluster of the given
// major version needs (0: there is no cluster yet).
func choose(installed []installation, cluster int, path string) (installation, error) {
	if cluster == 0 {
		return installed[0], nil
	}
	majors := make([]int, 0, len(installed))
	for _, candidate := range installed {
		if candidate.major == cluster {
			return candidate, nil
		}
		majors = append(majors, candidate.major)
	}
	return installation{}, &VersionError{Path: path, Cluster: cluster, Installed: slices.Compact(majors)}
}
