package walk

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/malotehq/malote/internal/store/pgtest"
)

// patience is how long a test waits for what must happen. It only matters where
// that does not happen.
const patience = 60 * time.Second

// testsAtOnce, unless somebody asks for another number: a test's Malote mostly
// waits for its browser, and the other way round.
const testsAtOnce = 3

func TestMain(m *testing.M) {
	flag.Parse()
	if atOnce := flag.Lookup("test.parallel"); atOnce.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = atOnce.Value.Set(strconv.Itoa(testsAtOnce))
	}
	code := pgtest.Main(m)
	closeBrowser()
	os.Exit(code)
}

// browserNames are those of Chromium in the distributions.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"}

const browserAdvice = "these tests need Chromium: run scripts/install-needs chromium (make test does), or put one of %q into the PATH"

// chromium is the one process. Its context is what those of tests come from.
var chromium = sync.OnceValues(startBrowser)

var closeBrowser = func() {}

func startBrowser() (context.Context, error) {
	var path string
	for _, name := range browserNames {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf(browserAdvice, browserNames)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		// Frames of other sites in the same process: the tests look into them.
		chromedp.Flag("disable-features", "Translate,MediaRouter,OptimizationHints,IsolateOrigins,site-per-process"),
		chromedp.Flag("disable-site-isolation-trials", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to sandbox root's
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	closeBrowser = func() {
		limited, stop := context.WithTimeout(ctx, patience)
		defer stop()
		_ = chromedp.Cancel(limited) // it is gone, then
		cancel()
		end()
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return ctx, nil
}
