package page

import (
	"context"
	"time"

	"github.com/malotehq/malote/internal/dashboard/lang"
)

// View is what templates know of the request that they are drawn for.
type View struct {
	Visitor   Visitor
	Nav       []NavItem // those that the visitor sees
	FormToken string    // proves that a form is one of ours, for this session
	Theme     Theme
	Language  lang.Language
	Here      string // path and query of this page, for links that lead back
	Path      string
	Dialog    string // the dialog that is to be open, for who has no scripts
	Framed    bool   // shown inside of a customer's own page
	Now       time.Time
	Notice    *Notice
}

// Theme is how pages are coloured.
type Theme string

// The themes. ThemeAuto is what the visitor's system prefers.
const (
	ThemeAuto  Theme = "auto"
	ThemeLight Theme = "light"
	ThemeDark  Theme = "dark"
)

// Themes lists all.
var Themes = []Theme{ThemeAuto, ThemeLight, ThemeDark}

type viewKey struct{}

// WithView makes a context for templates.
func WithView(ctx context.Context, v *View) context.Context {
	return lang.With(context.WithValue(ctx, viewKey{}, v), v.Language)
}

// From is the view of the request that is being answered.
func From(ctx context.Context) *View {
	if v, ok := ctx.Value(viewKey{}).(*View); ok {
		return v
	}
	return &View{Language: lang.English, Theme: ThemeAuto, Now: time.Now()}
}

// May says whether the visitor has the role: what they may not do is not offered.
func May(ctx context.Context, need Role) bool { return From(ctx).Visitor.Role.Covers(need) }

// NoticeKind is how good the news of a notice are.
type NoticeKind string

// The kinds.
const (
	Done   NoticeKind = "done"
	Failed NoticeKind = "failed"
)

// Notice is what the next page says about what was just done.
type Notice struct {
	Kind NoticeKind `json:"k"`
	Text string     `json:"t"`
}

// WithTime is a context whose templates are drawn at another time than when the
// request came, as those of a stream are.
func WithTime(ctx context.Context, now time.Time) context.Context {
	view := *From(ctx)
	view.Now = now
	return WithView(ctx, &view)
}
