package dashboard

import (
	"net/http"
	"strings"
)

const noOneElse = "'none'"

// protect sets the headers of every page: what it may load and do, who may frame
// it, and that nobody keeps it. inFrame: it is a customer's, asked for by a frame.
func (d *dashboard) protect(w http.ResponseWriter, inFrame bool) {
	header := w.Header()
	framers := noOneElse
	if inFrame && len(d.PortalOrigins) > 0 {
		framers = strings.Join(d.PortalOrigins, " ")
		header.Del("X-Frame-Options")
	} else {
		header.Set("X-Frame-Options", "DENY")
	}
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+framers)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin") // with none at all, forms would not say their origin
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}
