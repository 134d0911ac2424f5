package ui

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
)

// htmxConfig takes from htmx what our content security policy forbids anyway, and
// keeps pages, which may show somebody's data, out of the browser's storage.
const htmxConfig = `{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,` +
	`"historyCacheSize":0,"refreshOnHistoryMiss":true,"defaultSwapStyle":"outerHTML"}`

// TokenField is the form's field that proves that a form is one of ours.
const TokenField = "_token"

type navSection struct {
	id    string
	title lang.Text
	items []page.NavItem
}

// sections are those that have something for the visitor.
func sections(ctx context.Context) []navSection {
	list := []navSection{{title: observeText}, {title: workText}, {title: setUpText}}
	for _, item := range page.From(ctx).Nav {
		list[item.Section].items = append(list[item.Section].items, item)
	}
	for i := range list {
		list[i].id = "nav-" + strconv.Itoa(i)
	}
	return slices.DeleteFunc(list, func(s navSection) bool { return len(s.items) == 0 })
}

func pressed(is bool) string { return strconv.FormatBool(is) }

type languageName struct {
	Language lang.Language
	Name     string
}

func languages() []languageName {
	list := make([]languageName, len(lang.Languages))
	for i, l := range lang.Languages {
		list[i] = languageName(l)
	}
	return list
}

// scriptTexts are the few that scripts write.
func scriptTexts(ctx context.Context) string {
	encoded, err := json.Marshal(map[string]string{
		"copied": copiedText.In(ctx), "live": liveText.In(ctx), "lost": lostText.In(ctx), "failed": requestFailedText.In(ctx),
	})
	if err != nil {
		panic("ui: texts are strings: " + err.Error())
	}
	return string(encoded)
}
