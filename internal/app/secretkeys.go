package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/malotehq/malote/internal/seal"
	"github.com/malotehq/malote/internal/store/registry"
)

// secretKeyFile is where a process that was given no key keeps its own.
const secretKeyFile = "secret-key"

// secretKeys are what seals secrets at rest in this process.
type secretKeys struct {
	*seal.Keyring
	path  string // of the file they are from; "": they were given
	isNew bool   // the file was made just now
}

// openSecretKeys uses the keys that were given, or those of the file under the
// data directory, which the first start makes.
func openSecretKeys(options Options) (secretKeys, error) {
	if len(options.SecretKeys) > 0 {
		return secretKeys{Keyring: seal.NewKeyring(options.SecretKeys[0], options.SecretKeys[1:]...)}, nil
	}
	path := filepath.Join(options.DataDir, secretKeyFile)
	key := seal.GenerateKey(rand.Reader)
	isNew, err := createPrivately(path, key.Reveal()+"\n")
	if err != nil {
		return secretKeys{}, fmt.Errorf("keeping the key that seals secrets in %s: %w", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return secretKeys{}, fmt.Errorf("reading the key that seals secrets: %w", err)
	}
	keys, err := ParseSecretKeys(string(text))
	if err != nil {
		return secretKeys{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return secretKeys{Keyring: seal.NewKeyring(keys[0], keys[1:]...), path: path, isNew: isNew}, nil
}

// createPrivately makes a file with its whole content in one step, readable by
// its owner only, unless there is one: of two processes that start at once, one
// makes it and both read it.
func createPrivately(path, content string) (created bool, _ error) {
	if _, err := os.Stat(path); err == nil {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	temporary := path + "." + rand.Text()
	if err := writePrivately(temporary, content); err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(temporary) }()
	err := os.Link(temporary, path)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// ParseSecretKeys reads keys, the current one first, that stand one a line or
// between commas.
func ParseSecretKeys(text string) ([]seal.Key, error) {
	var keys []seal.Key
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		key, err := seal.ParseKey(word)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", len(keys)+1, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key in it: malote secrets new-key makes one")
	}
	return keys, nil
}

// sealRest seals what an older version left unsealed. It may run while all is
// being served, and in several processes at once.
func (k secretKeys) sealRest(ctx context.Context, reg *registry.Registry, log *slog.Logger) {
	inUse, err := reg.KeysInUse(ctx)
	if err == nil && inUse[""] > 0 && len(inUse) <= 2 { // no rotation is under way
		var sealed int
		sealed, err = reg.Reseal(ctx, nil)
		log.Info("sealed secrets that an older version had left unsealed", "values", sealed)
	}
	if err != nil && ctx.Err() == nil {
		log.Error("some secrets are not sealed; malote secrets reseal does it", "error", err)
	}
}

// admit lets the process start only if it can read what the others seal, and they
// what it does.
func (k secretKeys) admit(ctx context.Context, reg *registry.Registry) error {
	err := reg.AdmitKeys(ctx, k.KeyIDs())
	if foreign, ok := errors.AsType[*registry.ForeignKeysError](err); ok {
		if k.isNew {
			_ = os.Remove(k.path) // it would be in the way of the right one
		}
		return fmt.Errorf("%w: give it as MALOTE_SECRET_KEY, or as the file %s of the data directory of the process that has it", foreign, secretKeyFile)
	}
	return err
}
