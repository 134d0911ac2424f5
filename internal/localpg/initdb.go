package localpg

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func (h *home) dataDir() string { return filepath.Join(h.path, dataName) }

// password returns that of an existing cluster.
func (h *home) password() (string, error) {
	content, err := h.root.ReadFile(passwordName)
	if err != nil {
		return "", fmt.Errorf("reading the password of role %s, made with the cluster in %s: %w", role, h.path, err)
	}
	return strings.TrimSpace(string(content)), nil
}

// createCluster makes a cluster with a new random password. A crash at any point
// leaves no "data", and the next start begins afresh.
func (h *home) createCluster(ctx context.Context, with installation, isEphemeral bool) error {
	if err := h.root.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("removing an unfinished cluster: %w", err)
	}
	if err := h.replaceFile(passwordName, rand.Text()+"\n"); err != nil {
		return fmt.Errorf("writing the password: %w", err)
	}
	if err := h.runInitdb(ctx, with, isEphemeral); err != nil {
		return err
	}
	if err := h.includeSettings(); err != nil {
		return fmt.Errorf("adding our settings to postgresql.conf: %w", err)
	}
	if err := h.root.Rename(unfinished, dataName); err != nil {
		return fmt.Errorf("putting the new cluster in place: %w", err)
	}
	directory, err := h.root.Open(".")
	if err != nil {
		return fmt.Errorf("making the new cluster durable: %w", err)
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// runInitdb uses the C locale, whose order never changes under an index when the
// operating system is upgraded. The role is the cluster's superuser: nobody
// else's data is in there.
func (h *home) runInitdb(ctx context.Context, with installation, isEphemeral bool) error {
	durability := "--data-checksums"
	if isEphemeral {
		durability = "--no-sync"
	}
	cmd := h.who.command(ctx, h.path, with.program("initdb"),
		"-D", filepath.Join(h.path, unfinished), "--username="+role, "--pwfile="+filepath.Join(h.path, passwordName),
		"--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--no-instructions", durability)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second // the postgres that it runs may keep the output open
	dieWithUs(cmd, syscall.SIGKILL)
	runtime.LockOSThread() // dieWithUs counts from the death of the thread that forks
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), h.killBackends(unfinished))
	}
	if err != nil {
		return &StartError{Program: "initdb", Reason: complaint(output.String(), err)}
	}
	return nil
}

func (h *home) includeSettings() error {
	file, err := h.root.OpenFile(filepath.Join(unfinished, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString("\ninclude 'malote.conf'\n")
	return errors.Join(err, file.Sync(), file.Close())
}

// complaint returns the last line in which a program says why it gave up, or how
// it ended if it didn't say. What the server told impatient clients, us among
// them, is no reason.
func complaint(output string, ended error) string {
	var last string
	for line := range strings.Lines(output) {
		if strings.Contains(line, "the database system is") {
			continue
		}
		for _, mark := range []string{"FATAL:", "PANIC:", "error:"} {
			if _, text, ok := strings.Cut(line, mark); ok {
				last = strings.TrimSpace(text)
			}
		}
	}
	if last == "" && ended != nil {
		return ended.Error()
	}
	return last
}
