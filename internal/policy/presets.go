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

// serviceNames are presets for what verifies no signature. They are nobody's
// contract.
var serviceNames = []string{Slack, Email}

// The presets for services.
const (
	Slack = "slack"
	Email = "email" // of endpoints whose URL begins with mailto:
)

//go:embed presets/*.yaml
var presetFiles embed.FS

//go:embed services/*.yaml
var serviceFiles embed.FS

// parsedPresets panics only if a preset of this very build is wrong, which the
// tests rule out.
var parsedPresets = sync.OnceValue(func() map[string]*Policy {
	parsed := map[string]*Policy{}
	for _, name := range AllPresetNames() {
		source, _ := PresetSource(name)
		p, err := Parse(source)
		if err != nil {
			panic(fmt.Sprintf("policy: preset %s: %v", name, err))
		}
		parsed[name] = p
	}
	return parsed
})

// PresetNames lists the presets that are contracts, the default first.
func PresetNames() []string { return slices.Clone(presetNames) }

// AllPresetNames lists those for services as well, behind the contracts.
func AllPresetNames() []string { return slices.Concat(presetNames, serviceNames) }

// Preset is the preset of that name, shared and read only, or false.
func Preset(name string) (*Policy, bool) {
	p, known := parsedPresets()[name]
	return p, known
}

// PresetSource is the text of the preset, comments included, or false.
func PresetSource(name string) ([]byte, bool) {
	files, directory := presetFiles, "presets/"
	switch {
	case slices.Contains(serviceNames, name):
		files, directory = serviceFiles, "services/"
	case !slices.Contains(presetNames, name):
		return nil, false
	}
	source, err := files.ReadFile(directory + name + ".yaml")
	return source, err == nil
}
