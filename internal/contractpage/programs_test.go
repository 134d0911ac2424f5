package contractpage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/policy"
)

// The programs are those of the page, which are run by TestSamples_F16_Verify.
func TestPrograms_AreThoseOfThePage(t *testing.T) {
	t.Parallel()
	for _, name := range policy.AllPresetNames() {
		preset, known := policy.Preset(name)
		require.True(t, known)
		programs, err := Programs(preset)
		require.NoError(t, err)
		if preset.Signature.Scheme == policy.Unsigned {
			require.Empty(t, programs, name)
			continue
		}
		require.Len(t, programs, len(programNames), name)
		page, err := Render(preset, Options{Format: Markdown})
		require.NoError(t, err)
		for _, program := range programs {
			require.Contains(t, string(page), program.Text, "%s, %s", name, program.Name)
		}
	}
}
