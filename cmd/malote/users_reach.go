package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os/user"
	"strings"
	"time"

	"github.com/malotehq/malote/client"
	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/delivery"
)

// usersFlags lead to the users: through a server, or to its database.
type usersFlags struct {
	apiFlags
	InDatabase  bool   `help:"Without a server or an API key: in the database of DATABASE_URL, or in the private one that runs under --data-dir." env:"-"`
	DatabaseURL string `help:"The PostgreSQL for --in-database." env:"DATABASE_URL,MALOTE_DATABASE_URL" placeholder:"URL"`
	PublicURL   string `name:"public-url" help:"The dashboard's address, for links; what malote serve has, or the server's if left out." placeholder:"URL"`
}

// with does something with a connection, and closes what it needed.
func (f *usersFlags) with(env *environment, do func(*connection) error) error {
	if _, err := f.address(); err != nil {
		return err
	}
	if !f.InDatabase {
		c, err := f.connect(env)
		if err != nil {
			return err
		}
		return do(c)
	}
	storage := storageFlags{DatabaseURL: f.DatabaseURL, DataDir: f.DataDir}
	dsn, err := storage.dsn()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(env.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	direct, err := app.OpenDirectUsers(env.ctx, dsn, "", systemUser(), log)
	if err != nil {
		return databaseError(err)
	}
	defer direct.Close()
	// The key is not looked at: nothing leaves this process.
	api, err := client.New("http://database", "in-process", client.WithTransport(inProcess{direct}), client.WithRetry(atATerminal{}))
	if err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	return do(&connection{api: api, base: &url.URL{Scheme: "http", Host: "database"}, timeout: 30 * time.Second, env: env})
}

// systemUser is who the audit log says it was.
func systemUser() string {
	current, err := user.Current()
	if err != nil {
		return ""
	}
	return current.Username
}

// inProcess answers requests with a handler of this process.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &answerWriter{header: http.Header{}}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	t.handler.ServeHTTP(answer, r)
	return &http.Response{
		StatusCode: cmp.Or(answer.status, http.StatusOK), Header: answer.header, Request: r, ContentLength: int64(answer.body.Len()),
		Body: io.NopCloser(&answer.body), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// answerWriter keeps an answer.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *answerWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) { w.status = cmp.Or(w.status, status) }

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// findUser finds a user by name or id.
func findUser(c *connection, name string) (userView, error) {
	if _, err := delivery.ParseID(delivery.UserPrefix, name); err == nil {
		found, _, err := fetch[userView](c, client.Request{Method: http.MethodGet, Path: usersPath + client.Path(name)})
		return found, err
	}
	if strings.TrimSpace(name) == "" {
		return userView{}, &usageError{"a user's name is not empty"}
	}
	found, _, err := fetch[client.Page[userView]](c, client.Request{Method: http.MethodGet, Path: usersPath, Query: queryOf("name", name)})
	if err != nil {
		return userView{}, err
	}
	if len(found.Data) == 0 {
		return userView{}, fmt.Errorf("there is no user called %q: malote users list shows all, malote users invite makes one", name)
	}
	return found.Data[0], nil
}

// address is where people reach the dashboard, without a slash at its end.
func (f *usersFlags) address() (string, error) {
	if f.PublicURL != "" {
		return (&inboundFlags{PublicURL: f.PublicURL}).publicURL()
	}
	base, err := f.base()
	if err != nil {
		return "", err
	}
	return base.String(), nil
}

// showLink prints a one-time link, and to whom it may go. The server's own public
// address counts more than what is only known here.
func (f *usersFlags) showLink(env *environment, name string, link linkView) error {
	address, err := f.address()
	if err != nil {
		return err
	}
	whole := address + link.Path
	if link.URL != nil && f.PublicURL == "" {
		whole = *link.URL
	}
	if _, err := fmt.Fprintln(env.stdout, whole); err != nil {
		return errors.New("the link could not be printed: malote users link makes another")
	}
	fmt.Fprintf(env.stderr, "Whoever opens this link sets the password of %s. It works once, within %s.\n", clean(name), brief(time.Duration(link.Seconds)*time.Second))
	if f.InDatabase && f.PublicURL == "" {
		fmt.Fprintln(env.stderr, "If people reach the dashboard at another address, put that in front of /welcome, or give it as --public-url.")
	}
	return nil
}
