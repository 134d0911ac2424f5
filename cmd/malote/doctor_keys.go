package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/malotehq/malote/internal/store"
	"github.com/malotehq/malote/internal/store/registry"
)

const asTheServer = "run malote doctor as the user that runs malote serve"

// checkAdminKey looks at the key file that the first start leaves.
func (f *doctorCommand) checkAdminKey() finding {
	return checkKeyFile("admin key", filepath.Join(f.DataDir, adminKeyFile), ", then create another admin key and revoke this one")
}

// checkSecretKey looks at the file with the keys that seal secrets.
func (f *doctorCommand) checkSecretKey() finding {
	const check = "secret key"
	switch {
	case f.SecretKey != "" && f.SecretKeyFile == "":
		return finding{Check: check, Health: healthy, Found: "it is given by MALOTE_SECRET_KEY or --secret-key"}
	case f.SecretKey != "":
		return finding{Check: check, Health: wrong, Found: "it is given by --secret-key and by --secret-key-file", Fix: "keep one of them"}
	}
	path := cmp.Or(f.SecretKeyFile, filepath.Join(f.DataDir, secretKeyFile))
	return checkKeyFile(check, path, ", then change over to another key: malote secrets --help says how")
}

// checkKeyFile says whether only its owner can read a key.
func checkKeyFile(check, path, onwards string) finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{Check: check, Health: healthy, Found: "none is kept in " + path}
	case err != nil:
		return finding{Check: check, Health: warning, Found: oneLine(err.Error()), Fix: asTheServer}
	case info.Mode().Perm()&0o077 != 0:
		return finding{
			Check: check, Health: wrong, Found: fmt.Sprintf("%s can be read by others (mode %04o)", path, info.Mode().Perm()),
			Fix: "chmod 600 " + path + onwards,
		}
	default:
		return finding{Check: check, Health: healthy, Found: path + " is readable by its owner only"}
	}
}

// checkSealing says whether the secrets in the database are sealed, under keys
// that these settings have.
func (f *doctorCommand) checkSealing(ctx context.Context, s *store.Store) finding {
	found := finding{Check: "secrets", Health: wrong}
	keys, err := f.under(f.DataDir)
	if err != nil {
		found.Found, found.Fix = oneLine(err.Error()), "give the keys that malote serve has; as its user, if they are in a file"
		return found
	}
	inUse, err := registry.New(s, registry.Options{}).KeysInUse(ctx)
	if err != nil {
		found.Found, found.Fix = oneLine(err.Error()), "look at PostgreSQL's log"
		return found
	}
	counts := countSealed(keys, inUse)
	behind := under(counts, standsOlder) + under(counts, standsUnsealed)
	switch unknown := under(counts, standsUnknown); {
	case unknown > 0:
		found.Found = areOf(unknown) + " sealed under a key that these settings do not have"
		found.Fix = "malote secrets status names it: give it in MALOTE_SECRET_KEY, after the current one"
	case behind > 0:
		found.Health, found.Found = warning, areOf(behind)+" not sealed under the current key"
		found.Fix = "malote secrets reseal, once every process has the current key"
	case len(keys) == 0:
		found.Health, found.Found = healthy, "there are none, and no key yet"
	default:
		found.Health, found.Found = healthy, areOf(under(counts, standsCurrent))+" sealed under the current key"
	}
	return found
}
