package walk

import (
	"bytes"
	"image"
	"image/color"
	_ "image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// screenshotsVariable names the directory that pictures of all pages go to.
// Without it one picture is taken, to see that a page is drawn at all.
const screenshotsVariable = "MALOTE_SCREENSHOTS"

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func (f *furnished) hasPicture() {
	t, b := f.t, f.tab(f.session)
	require.Equal(t, 200, b.open("/now"))
	require.Greater(t, colours(t, b.picture()), 20)
	directory := os.Getenv(screenshotsVariable)
	if directory == "" {
		return
	}
	require.NoError(t, os.MkdirAll(directory, 0o755))
	for _, address := range f.pages {
		require.Equal(t, 200, b.open(address))
		name := strings.Trim(notInNames.ReplaceAllString(address, "-"), "-")
		for _, look := range []struct {
			name          string
			width, height int64
			dark          bool
		}{{"light", 1280, 900, false}, {"dark", 1280, 900, true}, {"phone", 390, 844, false}} {
			b.size(look.width, look.height)
			b.dark(look.dark)
			require.NoError(t, os.WriteFile(filepath.Join(directory, name+"-"+look.name+".png"), b.picture(), 0o600))
		}
		b.size(1280, 900)
	}
}

// picture is the whole page, once its charts are drawn.
func (b *tab) picture() []byte {
	b.t.Helper()
	b.await(`document.fonts.status === "loaded" && [...document.querySelectorAll("[data-chart]")].every(e => e.querySelector("canvas"))`)
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	return picture
}

// colours counts those of a picture.
func colours(t *testing.T, picture []byte) int {
	t.Helper()
	decoded, _, err := image.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	seen := make(map[color.Color]bool)
	for y := decoded.Bounds().Min.Y; y < decoded.Bounds().Max.Y; y++ {
		for x := decoded.Bounds().Min.X; x < decoded.Bounds().Max.X; x++ {
			seen[decoded.At(x, y)] = true
		}
	}
	return len(seen)
}
