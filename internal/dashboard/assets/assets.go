package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Where the files come from and under which licence: docs/dependencies.md.
//
//go:embed *.css *.js *.svg vendor/*.js vendor/*.css
var files embed.FS

// Prefix is below what all assets are served.
const Prefix = "/assets/"

// file is an asset as it is sent.
type file struct {
	contentType string
	plain       []byte
	zipped      []byte
}

// index are all assets by the name that they are served under, and those names
// by the files'.
type index struct {
	byName map[string]file
	names  map[string]string
}

var read = sync.OnceValue(func() index {
	all := index{byName: map[string]file{}, names: map[string]string{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		hash := sha256.Sum256(content)
		extension := path.Ext(name)
		served := strings.TrimSuffix(path.Base(name), extension) + "." + hex.EncodeToString(hash[:6]) + extension
		all.byName[served] = file{contentType: contentTypes[extension], plain: content, zipped: zip(content)}
		all.names[path.Base(name)] = served
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("assets: what is embedded cannot be read: %v", err))
	}
	return all
})

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

func zip(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one
	_, _ = w.Write(content)                               // to memory
	_ = w.Close()
	return b.Bytes()
}

// Path is where a file is served, by its own name: "app.css". It panics if there
// is none, which is a mistake in the program.
func Path(name string) string {
	served, ok := read().names[name]
	if !ok {
		panic("assets: there is no file " + name)
	}
	return Prefix + served
}

// Handler serves all of them.
func Handler() http.Handler {
	all := read()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := all.byName[strings.TrimPrefix(r.URL.Path, Prefix)]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		header := w.Header()
		header.Set("Content-Type", found.contentType)
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		header.Set("Vary", "Accept-Encoding")
		header.Set("X-Content-Type-Options", "nosniff")
		content := found.plain
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			header.Set("Content-Encoding", "gzip")
			content = found.zipped
		}
		header.Set("Content-Length", fmt.Sprint(len(content)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(content) // the visitor may have gone
		}
	})
}
