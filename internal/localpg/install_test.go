package localpg

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeInstallation writes programs that only tell their version.
func fakeInstallation(t *testing.T, bin, version string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(bin, 0o755))
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	return bin
}

func ourAccount(t *testing.T) account {
	t.Helper()
	who, err := chooseAccount("")
	require.NoError(t, err)
	return who
}

func TestFind_NewestFirstFromEveryPlace(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	inPath := fakeInstallation(t, filepath.Join(dir, "path"), "16.4")
	fakeInstallation(t, filepath.Join(dir, "glob/14/bin"), "14.9")
	newest := fakeInstallation(t, filepath.Join(dir, "glob/18/bin"), "18beta1 (Debian 18~beta1-1)")
	fakeInstallation(t, filepath.Join(dir, "glob/broken/bin"), "unknown")
	configured := fakeInstallation(t, filepath.Join(dir, "configured"), "17.2")
	config := filepath.Join(dir, "config")
	require.NoError(t, os.Mkdir(config, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(config, "pg_config"), []byte("#!/bin/sh\necho "+configured+"\n"), 0o755))
	linked := filepath.Join(dir, "linked")
	require.NoError(t, os.Mkdir(linked, 0o755))
	require.NoError(t, os.Symlink(filepath.Join(inPath, "postgres"), filepath.Join(linked, "postgres")))

	where := places{path: linked + ":" + inPath + ":" + config, globs: []string{filepath.Join(dir, "glob/*/bin")}}
	found, err := where.find(t.Context(), ourAccount(t))
	require.NoError(t, err)
	require.Equal(t, []installation{{18, newest}, {17, configured}, {16, inPath}}, found)
}

func TestStart_NoBinaries(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	fakeInstallation(t, filepath.Join(dir, "13/bin"), "13.9")
	dataDir := filepath.Join(dir, "data")
	_, err := start(t.Context(), Options{DataDir: dataDir}, places{path: dir, globs: []string{filepath.Join(dir, "*/bin")}})
	require.ErrorIs(t, err, ErrNoBinaries)
	require.Contains(t, err.Error(), "apt-get install postgresql")
	require.NotContains(t, err.Error(), "\n")
	require.NoDirExists(t, dataDir, "nothing should be left behind")
}

func TestStart_OtherMajor(t *testing.T) {
	t.Parallel()
	bin := newDataDir(t)
	where := systemPlaces()
	installed, err := where.find(t.Context(), ourAccount(t))
	require.NoError(t, err, "these tests need PostgreSQL")
	newest := installed[0].major
	for _, c := range []struct {
		cluster int
		advice  string
	}{
		{14, "pg_upgrade"},
		{99, "apt-get install postgresql-99"},
	} {
		dir := newDataDir(t)
		data := filepath.Join(dir, homeName, dataName)
		require.NoError(t, os.MkdirAll(data, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), fmt.Appendln(nil, c.cluster), 0o600))
		_, err := Start(t.Context(), Options{DataDir: dir})
		var version *VersionError
		require.ErrorAs(t, err, &version)
		require.Equal(t, c.cluster, version.Cluster)
		require.Equal(t, newest, version.Installed[0])
		require.Contains(t, err.Error(), c.advice)
		require.NotContains(t, err.Error(), "\n")
	}

	t.Run("a newer server does not take over an existing cluster", func(t *testing.T) {
		dir := copyOfCluster(t)
		fakeInstallation(t, filepath.Join(bin, "newer"), fmt.Sprint(newest+1))
		where.path = filepath.Join(bin, "newer") + ":" + where.path
		again, err := start(t.Context(), Options{DataDir: dir, Ephemeral: true}, where)
		require.NoError(t, err)
		require.NoError(t, connect(t, again).Ping(t.Context()))
		require.NoError(t, again.Stop(t.Context()))

		where = places{path: where.path[:len(filepath.Join(bin, "newer"))]}
		_, err = start(t.Context(), Options{DataDir: dir, Ephemeral: true}, where)
		var version *VersionError
		require.ErrorAs(t, err, &version)
		require.Contains(t, err.Error(), fmt.Sprintf("apt-get install postgresql-%d`, or convert it with pg_upgrade", newest))
	})
}

func TestParseMajor(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 19devel\n":                        19,
		"postgres (PostgreSQL) 9.6.24\n":                         9,
		"postgres (SomethingElse) 15\n":                          0,
		"":                                                       0,
	} {
		require.Equal(t, want, parseMajor(line), line)
	}
}

// A PostgreSQL that was built without lz4 refuses the question.
func TestLogCompression_NoneWhereLz4IsNot(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	refuses := fakeInstallation(t, filepath.Join(dir, "bin"), "16.4")
	script := "#!/bin/sh\necho 'FATAL: invalid value' >&2\nexit 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(refuses, "postgres"), []byte(script), 0o755))
	require.Equal(t, noCompression, installation{16, refuses}.logCompression(t.Context(), ourAccount(t), dir))
}
