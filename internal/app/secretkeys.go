package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	text, err := os.ReadFile(path)
	if err == nil {
		keys, err := ParseSecretKeys(string(text))
		if err != nil {
			return secretKeys{}, fmt.Errorf("reading %s: %w", path, err)
		}
		return secretKeys{Keyring: seal.NewKeyring(keys[0], keys[1:]...), path: path}, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return secretKeys{}, fmt.Errorf("reading the key that seals secrets: %w", err)
	}
	key := seal.GenerateKey(rand.Reader)
	if err := os.MkdirAll(options.DataDir, 0o700); err != nil {
		return secretKeys{}, fmt.Errorf("keeping the key that seals secrets: %w", err)
	}
	if err := writePrivately(path, key.Reveal()+"\n"); err != nil {
		return secretKeys{}, fmt.Errorf("keeping the key that seals secrets in %s: %w", path, err)
	}
	return secretKeys{Keyring: seal.NewKeyring(key), path: path, isNew: true}, nil
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

// admit lets the process start only if it can read what the others seal, and they
// what it does.
func (k secretKeys) admit(ctx context.Context, reg *registry.Registry) error {
	err := reg.AdmitKeys(ctx, k.CurrentKey(), k.Knows)
	if foreign, ok := errors.AsType[*registry.ForeignKeysError](err); ok {
		if k.isNew {
			_ = os.Remove(k.path) // it would be in the way of the right one
		}
		return fmt.Errorf("%w: give it as MALOTE_SECRET_KEY, or as the file %s of the data directory of the process that has it", foreign, secretKeyFile)
	}
	return err
}
