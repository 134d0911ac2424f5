package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
)

// yamlConfiguration reads malote.yaml: flags by their names, those of a command
// under the command's name. What the command line or the environment says,
// counts more.
func yamlConfiguration(r io.Reader) (kong.Resolver, error) {
	var values map[string]any
	if err := yaml.NewDecoder(r).Decode(&values); err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading malote.yaml: %w", err)
	}
	return kong.ResolverFunc(func(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
		level := values
		for _, name := range commandPath(parent) {
			next, ok := level[name].(map[string]any)
			if !ok {
				break
			}
			level = next
		}
		if value, found := level[flag.Name]; found {
			return value, nil
		}
		return values[flag.Name], nil
	}), nil
}

// commandPath lists the names of the commands that the flag belongs to.
func commandPath(parent *kong.Path) []string {
	if parent == nil || parent.Node() == nil {
		return nil
	}
	return strings.Fields(parent.Node().Path())
}
