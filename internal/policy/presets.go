package policy

import (
	"embed"
	"fmt"
	"slices"
	"sync"
)

// Default is the preset that an endpoint has if it names none.
const Default = "standard"

// presetNames is in the order in which people read about them.
var presetNames = []string{Default, "fair-queue", "axxos", "gateway", "routa", "dracma"}

//go:embed presets/*.yaml
var presetFiles embed.FS

// parsedPresets panics only if a preset of this very build is wrong, which the
// tests rule out.
var parsedPresets = sync.OnceValue(func() map[string]*Policy {
	parsed := map[string]*Policy{}
	for _, name := range presetNames {
		source, _ := PresetSource(name)
		p, err := Parse(source)
		if err != nil {
			panic(fmt.Sprintf("policy: preset %s: %v", name, err))
		}
		parsed[name] = p
	}
	return parsed
})

// PresetNames lists the presets, the default first.
func PresetNames() []string { return slices.Clone(presetNames) }

// Preset is the preset of that name, shared and read only, or false.
func Preset(name string) (*Policy, bool) {
	p, known := parsedPresets()[name]
	return p, known
}

// PresetSource is the text of the preset, comments included, or false.
func PresetSource(name string) ([]byte, bool) {
	if !slices.Contains(presetNames, name) {
		return nil, false
	}
	source, err := presetFiles.ReadFile("presets/" + name + ".yaml")
	return source, err == nil
}
