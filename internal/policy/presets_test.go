package policy

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPresets_AreComplete(t *testing.T) {
	t.Parallel()
	files, err := presetFiles.ReadDir("presets")
	require.NoError(t, err)
	require.Len(t, files, len(presetNames))
	for _, name := range PresetNames() {
		p := preset(t, name)
		require.Equal(t, name, p.Name)
		require.NotEmpty(t, p.Description)
		again, _ := Preset(name)
		require.Same(t, p, again)
	}
	require.Equal(t, Default, PresetNames()[0])
	for _, unknown := range []string{"", "Standard", "../standard"} {
		_, known := Preset(unknown)
		require.False(t, known)
		_, known = PresetSource(unknown)
		require.False(t, known)
	}
}

// A reader of a preset must see the source of every number: a clause or, where
// the contract is silent, the word and a reason.
func TestPresets_SayWhereEverySectionComesFrom(t *testing.T) {
	t.Parallel()
	source := regexp.MustCompile(`[FADGRS]\d\d|[Ss]ilent|follows from it`)
	for _, name := range presetNames {
		text, _ := PresetSource(name)
		for block := range bytes.SplitSeq(text, []byte("\n\n")) {
			require.Regexp(t, source, string(block), name)
		}
	}
}

func TestPresets_SourceIsACopyNobodyCanSpoil(t *testing.T) {
	t.Parallel()
	source, known := PresetSource(Default)
	require.True(t, known)
	clear(source)
	source, _ = PresetSource(Default)
	require.True(t, strings.HasPrefix(string(source), "#"))
	names := PresetNames()
	slices.Reverse(names)
	require.Equal(t, Default, PresetNames()[0])
}
