package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/malotehq/malote/internal/store/registry"
)

// adminKeyFile is where the first start leaves the key it made.
const adminKeyFile = "admin-key"

// ensureAdminKey makes the first admin key, unless the operator gave one or
// there is one already, and tells what this process knows.
func ensureAdminKey(ctx context.Context, reg *registry.Registry, options Options, info *Info) error {
	if options.AdminKey != "" {
		info.AdminKey = options.AdminKey
		return nil
	}
	path := filepath.Join(options.DataDir, adminKeyFile)
	plain, created, err := reg.EnsureAdminKey(ctx)
	if err != nil {
		return fmt.Errorf("making the first admin key: %w", err)
	}
	info.AdminKeyFile, info.KeyIsNew = path, created
	if !created {
		if kept, err := os.ReadFile(path); err == nil {
			info.AdminKey = strings.TrimSpace(string(kept))
		}
		return nil
	}
	info.AdminKey = plain
	if err := os.MkdirAll(options.DataDir, 0o700); err != nil {
		return fmt.Errorf("keeping the first admin key: %w", err)
	}
	if err := writePrivately(path, plain+"\n"); err != nil {
		return fmt.Errorf("keeping the first admin key in %s: %w", path, err)
	}
	return nil
}

// writePrivately replaces a file in one step, readable by its owner only.
func writePrivately(path, content string) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // gone already if all went well
	if _, err := temporary.WriteString(content); err != nil {
		return err
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
