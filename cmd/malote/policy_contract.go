package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/policy"
)

type policyContractCommand struct {
	apiFlags
	Name      string                `arg:"" help:"A preset, a file, or a policy of --server's."`
	Format    contractpage.Format   `help:"${page_formats}. Left out: html for a file that is called so, markdown otherwise." enum:",${page_formats}" default:"" env:"-" own:""`
	Lang      contractpage.Language `help:"${enum}." enum:"${page_languages}" default:"en" env:"-" own:""`
	Output    string                `short:"o" help:"File to write; standard output if left out." placeholder:"FILE" type:"path"`
	Retention time.Duration         `help:"How long events can be listed and resent, as malote serve has it; a --server knows its own." default:"720h"`
}

// Help implements kong.HelpProvider.
func (policyContractCommand) Help() string {
	return `The page for those who receive under a policy: deadline, what happens on each answer, the timetable, headers, how to
verify a signature, and what becomes of what fails for days. Made from the policy itself. A file is always written
here, a preset unless --server is given.

Example:
  malote policy contract fair-queue --format html --lang pt -o contract.html`
}

// Run implements the command.
func (f *policyContractCommand) Run(env *environment) error {
	if f.Format == "" {
		f.Format = formatOf(f.Output)
	}
	page, err := f.page(env)
	if err != nil {
		return err
	}
	if f.Output != "" {
		return os.WriteFile(f.Output, page, 0o600)
	}
	_, err = env.stdout.Write(page)
	return err
}

// formatOf is the format that a file's name asks for.
func formatOf(file string) contractpage.Format {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".html", ".htm":
		return contractpage.HTML
	}
	return contractpage.Markdown
}

// page is written by whoever knows how long events are kept.
func (f *policyContractCommand) page(env *environment) ([]byte, error) {
	if _, preset := policy.Preset(f.Name); looksLikeFile(f.Name) && !preset || preset && f.Server == "" {
		return f.write(env)
	}
	c, err := f.connect(env)
	if err != nil {
		return nil, err
	}
	got, err := c.do(client.Request{
		Method: http.MethodGet, Path: policiesPath + client.Path(f.Name, "contract"),
		Query: queryOf("format", string(f.Format), "lang", string(f.Lang)),
	})
	if err != nil {
		return nil, err
	}
	return got.Body, nil
}

func (f *policyContractCommand) write(env *environment) ([]byte, error) {
	if f.Retention <= 0 {
		return nil, &usageError{"--retention must be more than 0, as malote serve has it"}
	}
	p, err := f.policyNamed(env, f.Name)
	if err != nil {
		return nil, err
	}
	page, err := contractpage.Render(p, contractpage.Options{Format: f.Format, Language: f.Lang, Retention: f.Retention})
	if err != nil {
		return nil, errors.New(placed(f.Name, err))
	}
	return page, nil
}
