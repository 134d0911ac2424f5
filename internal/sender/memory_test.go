package sender

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What hostile answers cost. These tests run alone, before the parallel ones,
// since they count what the whole process allocates; the receiver's own
// strings are made beforehand.
func TestSend_MemoryIsBounded(t *testing.T) {
	interim := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 1<<10)
	filler := strings.Repeat("X-Filler: "+strings.Repeat("x", 1<<10)+"\r\n", 1<<10)
	chunks := strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", 1<<10, strings.Repeat("x", 1<<10)), 1<<10)
	bomb := gzipBomb(t, 1024)
	flood := func(head, text string) func(*peer) {
		bytes := []byte(text)
		return func(p *peer) {
			for p.take() && p.say(head) {
				for { // unlike endless, without a copy of its own
					if _, err := p.Write(bytes); err != nil {
						return
					}
				}
			}
		}
	}
	for name, script := range map[string]func(*peer){
		"1xx flood":     flood("", interim),
		"header bomb":   flood("HTTP/1.1 200 OK\r\n", filler),
		"one header":    flood("HTTP/1.1 200 OK\r\nX: ", filler[:1<<10]),
		"endless chunk": flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunks),
		"chunk header":  flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", filler[:1<<10]),
		"trailers":      flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", filler),
		"gzip bomb":     flood("HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\n\r\n", bomb),
		"101 flood":     flood("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", filler),
	} {
		t.Run(name, func(t *testing.T) {
			receiver, sender, p := serve(t, script), newSender(t, Options{}), standard(patient)
			claim := claimFor(receiver.url())
			before := allocated()
			outcome := send(t, sender, claim, p)
			spent := allocated() - before
			require.Less(t, spent, uint64(1<<20), "%+v", outcome)
			require.Less(t, outcome.Duration, patient/2)
		})
	}
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}
