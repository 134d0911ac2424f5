package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
)

// defaultServer is where `malote serve` listens unless told otherwise.
const defaultServer = "http://127.0.0.1:8420"

// apiFlags are shared by the commands that talk to a running Malote.
type apiFlags struct {
	Server  string        `help:"The Malote to talk to; http://127.0.0.1:8420 if left out." placeholder:"URL"`
	APIKey  string        `name:"api-key" help:"API key; the admin key in --data-dir if left out. Better set as MALOTE_API_KEY: others can read command lines." placeholder:"KEY"`
	DataDir string        `help:"Where malote serve keeps its first admin key; ./malote-data if left out." default:"./malote-data" type:"path" placeholder:"DIR"`
	Timeout time.Duration `help:"How long to wait for one answer." default:"30s"`
}

// connection is to one Malote. A command makes one and drops it.
type connection struct {
	api     *client.Client
	base    *url.URL
	timeout time.Duration
	env     *environment
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 256 << 20

// connect finds the server and the key; nothing is sent yet.
func (f *apiFlags) connect(env *environment) (*connection, error) {
	base, err := f.base()
	if err != nil {
		return nil, err
	}
	key, err := f.key(base)
	if err != nil {
		return nil, err
	}
	if f.Timeout <= 0 {
		return nil, &usageError{"--timeout must be more than 0, such as 30s"}
	}
	api, err := client.New(base.String(), key, client.WithTimeout(f.Timeout), client.WithMaxAnswer(maxAnswer),
		client.WithRetry(atATerminal{}), client.WithUserAgent("malote-cli/"+version()))
	if wrong, ok := errors.AsType[*client.ArgumentError](err); ok && wrong.Argument == "key" {
		return nil, &usageError{"the API key is none: it has no spaces or special characters; set MALOTE_API_KEY to one that works"}
	}
	if err != nil {
		return nil, &usageError{err.Error()}
	}
	return &connection{api: api, base: base, timeout: f.Timeout, env: env}, nil
}

func (f *apiFlags) base() (*url.URL, error) {
	text := f.Server
	if text == "" {
		text = defaultServer
	}
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, &usageError{fmt.Sprintf("--server %q is not a server's address: write it like %s", text, defaultServer)}
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	return base, nil
}

// adminKeyFile is where the first `malote serve` leaves its key.
const adminKeyFile = "admin-key"

// key is what the user gave, or the admin key of the server on this machine.
// That one is not sent anywhere else.
func (f *apiFlags) key(base *url.URL) (string, error) {
	if f.APIKey != "" {
		return strings.TrimSpace(f.APIKey), nil
	}
	if !isThisMachine(base.Hostname()) {
		return "", &usageError{fmt.Sprintf("%s needs an API key: set MALOTE_API_KEY (the one in --data-dir is for this machine's Malote only)", base.Host)}
	}
	path := filepath.Join(f.DataDir, adminKeyFile)
	kept, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &usageError{fmt.Sprintf("there is no API key: set MALOTE_API_KEY, or --data-dir to that of malote serve (%s does not exist)", path)}
	case err != nil:
		return "", fmt.Errorf("reading the admin key: %w; set MALOTE_API_KEY instead", err)
	}
	return strings.TrimSpace(string(kept)), nil
}

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
