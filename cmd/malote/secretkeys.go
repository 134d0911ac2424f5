package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/seal"
)

// secretKeyFlags give the keys that seal secrets at rest.
type secretKeyFlags struct {
	SecretKey     string `help:"Keys that seal secrets at rest, the current one first, then older ones after commas; without any, the one in --data-dir. Better set as MALOTE_SECRET_KEY: others can read command lines." placeholder:"KEY,…"`
	SecretKeyFile string `help:"A file with such keys, one a line, the current one first." type:"path" placeholder:"FILE"`
}

// given are the keys of the flags; none if there is no flag.
func (f *secretKeyFlags) given() ([]seal.Key, error) {
	switch {
	case f.SecretKey != "" && f.SecretKeyFile != "":
		return nil, &usageError{"--secret-key and --secret-key-file are both set: keep one of them"}
	case f.SecretKey != "":
		keys, err := app.ParseSecretKeys(f.SecretKey)
		if err != nil {
			return nil, &usageError{"--secret-key: " + err.Error()}
		}
		return keys, nil
	case f.SecretKeyFile != "":
		return readSecretKeys(f.SecretKeyFile)
	}
	return nil, nil
}

// secretKeyFile is where malote serve keeps a key of its own, if it was given none.
const secretKeyFile = "secret-key"

// under are the keys that malote serve uses with the same flags; none if it
// would have to make one.
func (f *secretKeyFlags) under(dataDir string) ([]seal.Key, error) {
	keys, err := f.given()
	if err != nil || len(keys) > 0 {
		return keys, err
	}
	keys, err = readSecretKeys(filepath.Join(dataDir, secretKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return keys, err
}

func readSecretKeys(path string) ([]seal.Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the keys that seal secrets: %w", err)
	}
	keys, err := app.ParseSecretKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return keys, nil
}

// ringOf is what opens and seals with the keys; without any, nothing.
func ringOf(keys []seal.Key) *seal.Keyring {
	if len(keys) == 0 {
		return nil
	}
	return seal.NewKeyring(keys[0], keys[1:]...)
}
