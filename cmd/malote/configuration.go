package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
)

// configurationFile is read from the directory that malote runs in.
const configurationFile = "malote.yaml"

// configuration is malote.yaml: flags by their names, those of one command
// under the command's name. What the command line or the environment says,
// counts more.
type configuration struct{ values map[string]any }

func yamlConfiguration(r io.Reader) (kong.Resolver, error) {
	var values map[string]any
	if err := yaml.NewDecoder(r).Decode(&values); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("this is not YAML: %w", err)
	}
	return configuration{values}, nil
}

// Resolve implements kong.Resolver. A flag that is tagged "own" means another
// thing in every command that has it, so it is looked up under the command only.
func (c configuration) Resolve(_ *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	if slices.ContainsFunc(flag.Envs, isSet) {
		return nil, nil
	}
	level, names := c.values, commandPath(parent)
	for _, name := range names {
		next, ok := level[name].(map[string]any)
		if !ok {
			level = nil
			break
		}
		level = next
	}
	if value, found := level[flag.Name]; found {
		return value, nil
	}
	if flag.Tag.Has("own") {
		return nil, nil
	}
	return c.values[flag.Name], nil
}

// Validate implements kong.Resolver: a name that nothing has is a mistake, and
// would otherwise be a setting that silently does not apply.
func (c configuration) Validate(app *kong.Application) error {
	if unknown := unknownName(c.values, app.Node, flagNames(app.Node)); unknown != "" {
		return fmt.Errorf("%s: there is no flag or command %q", configurationFile, unknown)
	}
	return nil
}

// unknownName finds a key that is neither a command below the node nor one of
// the flags.
func unknownName(values map[string]any, node *kong.Node, flags []string) string {
	for name, value := range values {
		child := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == name })
		below, isSection := value.(map[string]any)
		switch {
		case child >= 0 && isSection:
			if unknown := unknownName(below, node.Children[child], flagNames(node.Children[child])); unknown != "" {
				return name + "." + unknown
			}
		case !slices.Contains(flags, name):
			return name
		}
	}
	return ""
}

// flagNames are the flags of a node and of all below it.
func flagNames(node *kong.Node) []string {
	var names []string
	for _, flag := range node.Flags {
		names = append(names, flag.Name)
	}
	for _, child := range node.Children {
		names = append(names, flagNames(child)...)
	}
	return names
}

// commandPath lists the names of the commands that the flag belongs to.
func commandPath(parent *kong.Path) []string {
	var names []string
	if parent == nil {
		return nil
	}
	for node := parent.Node(); node != nil && node.Type == kong.CommandNode; node = node.Parent {
		names = append(names, node.Name)
	}
	slices.Reverse(names)
	return names
}

func isSet(variable string) bool {
	_, set := os.LookupEnv(variable)
	return set
}
