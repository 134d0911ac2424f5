package dashboard

import (
	"net/http"
	"slices"
)

// Where a request comes from, as browsers say it (Fetch Metadata, W3C, §2.1).
// They say it to https and to this machine itself, nowhere else; sessions in
// frames have no others.
const destHeader = "Sec-Fetch-Dest"

// inFrame says whether the request loads a page into a frame.
func inFrame(r *http.Request) bool {
	dest := r.Header.Get(destHeader)
	return dest == "iframe" || dest == "frame"
}

// places says in which cookies to look for a session: those of frames for what is
// shown in one, and only there; the others for pages on their own. What a script
// of a page asks for does not say where the page is. Framed is false everywhere
// unless somebody may frame the portal.
func (d *dashboard) places(r *http.Request) []bool {
	switch dest := r.Header.Get(destHeader); {
	case len(d.PortalOrigins) == 0 || dest == "" || dest == "document":
		return []bool{false}
	case inFrame(r):
		return []bool{true}
	default:
		return []bool{false, true}
	}
}

// framerIsKnown says whether the page around is one that may frame the portal. A
// page may keep from us who it is; then it is not known.
func (d *dashboard) framerIsKnown(r *http.Request) bool {
	return slices.Contains(d.PortalOrigins, originOf(r.Referer()))
}
