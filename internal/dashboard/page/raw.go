package page

import (
	"maps"
	"net/http"
	"net/url"
)

// Raw is an answer of the API's with its bytes as they are.
type Raw struct {
	Body        []byte
	ContentType string
}

// GetRaw asks the API for bytes. They are not ours: never write them into a page
// but through a template, and never under a content type that a browser runs.
func GetRaw(r *Request, path string, query url.Values) (Raw, error) {
	recorder := &recorder{header: http.Header{}}
	if err := r.serve(r.Context(), recorder, http.MethodGet, path, query, nil); err != nil {
		return Raw{}, err
	}
	if err := recorder.problem(); err != nil {
		return Raw{}, err
	}
	return Raw{Body: recorder.body.Bytes(), ContentType: recorder.header.Get("Content-Type")}, nil
}

// Download passes an answer of the API's on to the visitor as a file, while it
// comes. What a browser gets is a file to keep, whatever is in it.
func Download(r *Request, path string, query url.Values, fileName string) error {
	w := &download{w: r.Writer, fileName: fileName, header: http.Header{}}
	if err := r.serve(r.Context(), w, http.MethodGet, path, query, nil); err != nil {
		return err
	}
	if w.refused != nil {
		return w.refused.problem()
	}
	return nil
}

// download writes a success through and keeps a failure.
type download struct {
	w        http.ResponseWriter
	fileName string
	header   http.Header
	refused  *recorder
	begun    bool
}

func (d *download) Header() http.Header { return d.header }

func (d *download) WriteHeader(status int) {
	switch {
	case d.begun || d.refused != nil || status < http.StatusOK:
	case status >= http.StatusBadRequest:
		d.refused = &recorder{header: d.header, status: status}
	default:
		d.begun = true
		header := d.w.Header()
		kept := http.Header{}
		for _, name := range []string{"Content-Type", "Content-Length"} {
			if value := d.header.Values(name); len(value) > 0 {
				kept[name] = value
			}
		}
		maps.Copy(header, kept)
		header.Set("Content-Disposition", Attachment(d.fileName))
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		d.w.WriteHeader(status)
	}
}

func (d *download) Write(b []byte) (int, error) {
	d.WriteHeader(http.StatusOK)
	if d.refused != nil {
		return d.refused.Write(b)
	}
	return d.w.Write(b)
}

// Flush passes on what has come so far.
func (d *download) Flush() {
	if d.begun {
		_ = http.NewResponseController(d.w).Flush()
	}
}
