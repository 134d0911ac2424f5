package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/policy"
)

type policyCommands struct {
	List     policyListCommand     `cmd:"" help:"List policies: the presets, and with --server those of that Malote as well."`
	Show     policyShowCommand     `cmd:"" help:"Print a policy as it was written, comments included."`
	Schedule policyScheduleCommand `cmd:"" help:"Print when a policy makes its attempts."`
	Contract policyContractCommand `cmd:"" help:"Write the page for those who receive under a policy."`
	Check    policyCheckCommand    `cmd:"" help:"Say whether a file is a policy, and if not, where and why."`
	Create   policyCreateCommand   `cmd:"" help:"Give a policy of your own to a Malote."`
}

// Help implements kong.HelpProvider.
func (policyCommands) Help() string {
	return `A policy says what a success is, when the next attempt is due, and when a delivery is given up.

Example:
  malote policy schedule standard`
}

const policiesPath = "/v1/policies"

// policyView is what is shown of a policy.
type policyView struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Preset      bool       `json:"preset"`
	YAML        string     `json:"yaml"`
	CreatedAt   *time.Time `json:"created_at"`
}

type policyListCommand struct {
	apiFlags
	JSON bool `name:"json" help:"Print one JSON object a line, with the YAML."`
}

// Help implements kong.HelpProvider.
func (policyListCommand) Help() string {
	return `Example:
  malote policy list
  malote policy list --server http://127.0.0.1:8420`
}

// Run implements the command.
func (f *policyListCommand) Run(env *environment) error {
	policies := presets()
	if f.Server != "" {
		c, err := f.connect(env)
		if err != nil {
			return err
		}
		page, _, err := fetch[struct{ Data []policyView }](c, client.Request{Method: http.MethodGet, Path: policiesPath})
		if err != nil {
			return err
		}
		policies = page.Data
	}
	out := newTable(env.stdout)
	defer out.flush()
	if !f.JSON {
		out.row("POLICY", "MADE BY", "DESCRIPTION")
	}
	for _, p := range policies {
		if f.JSON {
			fmt.Fprintf(env.stdout, "%s\n", encoded(p))
			continue
		}
		madeBy := "you, " + stamp(p.CreatedAt)
		if p.Preset {
			madeBy = "Malote"
		}
		out.row(p.Name, madeBy, p.Description)
	}
	return nil
}

func presets() []policyView {
	var list []policyView
	for _, name := range policy.AllPresetNames() {
		preset, _ := policy.Preset(name)
		source, _ := policy.PresetSource(name)
		list = append(list, policyView{Name: name, Description: preset.Description, Preset: true, YAML: string(source)})
	}
	return list
}

// sourceOf finds a policy's text: a preset, a file, or what a Malote keeps.
func (f *apiFlags) sourceOf(env *environment, name string) ([]byte, error) {
	if source, known := policy.PresetSource(name); known {
		return source, nil
	}
	if looksLikeFile(name) {
		_, source, err := readInput(env, name, policy.MaxSourceBytes)
		return source, err
	}
	c, err := f.connect(env)
	if err != nil {
		return nil, fmt.Errorf("%q is no preset (those are %s), and asking a Malote failed: %w", name, strings.Join(policy.AllPresetNames(), ", "), err)
	}
	kept, _, err := fetch[policyView](c, client.Request{Method: http.MethodGet, Path: policiesPath + client.Path(name)})
	return []byte(kept.YAML), err
}

// looksLikeFile tells files from names: a policy's name has no dots or slashes.
func looksLikeFile(name string) bool {
	if name == "-" || strings.ContainsRune(name, filepath.Separator) || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

type policyShowCommand struct {
	apiFlags
	Name string `arg:"" help:"A preset, a file, or a policy of --server's."`
}

// Help implements kong.HelpProvider.
func (policyShowCommand) Help() string {
	return `The numbers in a preset's comments are the clauses of the contract that it keeps.

Example:
  malote policy show standard > mine.yaml`
}

// Run implements the command.
func (f *policyShowCommand) Run(env *environment) error {
	source, err := f.sourceOf(env, f.Name)
	if err != nil {
		return err
	}
	_, err = env.stdout.Write(source)
	return err
}

// policyNamed finds and reads a policy.
func (f *apiFlags) policyNamed(env *environment, name string) (*policy.Policy, error) {
	source, err := f.sourceOf(env, name)
	if err != nil {
		return nil, err
	}
	parsed, err := policy.Parse(source)
	if err != nil {
		return nil, errors.New(placed(name, err))
	}
	return parsed, nil
}

// placed is a parse error in the form that editors jump to: file:line:column.
func placed(file string, err error) string {
	wrong, ok := errors.AsType[*policy.ParseError](err)
	if !ok {
		return file + ": " + err.Error()
	}
	text := fmt.Sprintf("%s:%d:%d: ", file, wrong.Line, wrong.Column)
	if wrong.Field != "" {
		text += wrong.Field + ": "
	}
	return text + wrong.Reason
}
