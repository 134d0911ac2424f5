package walk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages of who is not logged in, and those that say that something is not
// there or not for them.
func TestDoors_AreForEverybody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := newTab(t, h.url)
	b.allow("status of 404", "status of 410", "status of 401", "status of 422")
	b.measureDoor(h.welcome, 200)
	b.fill("[name=name]", operator)
	b.fill("[name=password]", "short")
	b.fill("[name=again]", "other")
	eval[bool](b, "document.querySelector('main form').noValidate = true")
	require.Equal(t, 422, b.follow("main button"))
	b.measureShown()
	h.takeOver()
	b.measureDoor(h.welcome, 410)
	b.measureDoor("/login?next=/deliveries", 200)
	b.fill("[name=name]", operator)
	b.fill("[name=password]", "not the right one")
	require.Equal(t, 401, b.follow("main button"))
	b.measureShown()
	b.fill("[name=password]", password)
	require.Equal(t, 200, b.follow("main button"))
	b.measureDoor("/nothing-here", 404)
	b.measureDoor("/deliveries/whd_01h455vb4pex5vsknk084sn02q", 404)
	b.open("/deliveries")
	b.click("[data-menu] summary")
	b.measureShown()
}

func (b *tab) measureDoor(address string, status int) {
	b.t.Helper()
	require.Equal(b.t, status, b.open(address), address)
	b.measureShown()
}

// measureShown is measure for what is shown already.
func (b *tab) measureShown() {
	b.t.Helper()
	w := b.inspect()
	w.requireAccessible("light", "", allRules)
	b.dark(true)
	w.requireAccessible("dark", "", colourRules)
	b.size(390, 844)
	w.requireAccessible("dark and narrow", "", colourRules)
	b.dark(false)
	w.requireAccessible("narrow", "", shapeRules)
	b.requireNoSideways()
	b.size(1280, 900)
}
