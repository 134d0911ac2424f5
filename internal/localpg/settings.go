package localpg

import (
	"context"
	"fmt"
	"os"
	"strings"
)

const (
	role = "malote"
	// port only names the socket file: the server listens on no TCP port.
	port       = "5432"
	socketFile = ".s.PGSQL." + port
)

type setting struct{ name, value string }

// common settings keep a queue's tables small and the latency even. The log is
// terse because the details of an error can quote rows, and rows hold bodies.
var common = []setting{
	{"timezone", "UTC"},
	{"log_timezone", "UTC"},
	{"log_destination", "stderr"},
	{"logging_collector", "off"},
	{"log_line_prefix", "%m [%p] "},
	{"log_error_verbosity", "terse"},
	{"log_checkpoints", "off"},
	{"jit", "off"},
	{"max_parallel_workers_per_gather", "0"},
	{"random_page_cost", "1.1"},
	{"autovacuum_vacuum_scale_factor", "0.05"},
	{"autovacuum_analyze_scale_factor", "0.05"},
	{"autovacuum_vacuum_cost_limit", "2000"},
}

var durable = []setting{
	{"fsync", "on"},
	{"synchronous_commit", "on"},
	{"full_page_writes", "on"},
	{"max_connections", "100"},
	{"max_wal_size", "2GB"},
	{"min_wal_size", "256MB"},
	{"checkpoint_timeout", "10min"},
	{"autovacuum_naptime", "10s"},
}

// ephemeral settings serve tests: many databases at once, none worth keeping.
var ephemeral = []setting{
	{"fsync", "off"},
	{"synchronous_commit", "off"},
	{"full_page_writes", "off"},
	{"wal_level", "minimal"},
	{"max_wal_senders", "0"},
	{"max_connections", "300"},
	{"shared_buffers", "128MB"},
	{"min_wal_size", "80MB"},
	{"checkpoint_timeout", "1h"},
}

// The first change of a page after a checkpoint puts the whole page into the log.
// PostgreSQL's own compression takes half a millisecond for one, more than all
// else that a delivery costs, to save a quarter of it; lz4 hardly more than none at all.
const (
	compression      = "wal_compression"
	quickCompression = "lz4"
	noCompression    = "off"
)

// logCompression is what the log's pages are compressed with: lz4 if this
// PostgreSQL was built with it, else nothing. dir is the cluster's, whose
// settings are not read.
func (i installation) logCompression(ctx context.Context, who account, dir string) string {
	asked := who.command(ctx, dir, i.program("postgres"), "-D", dir, "-c", "config_file="+os.DevNull,
		"-c", compression+"="+quickCompression, "-C", compression)
	if asked.Run() != nil {
		return noCompression
	}
	return quickCompression
}

// configuration returns the content of malote.conf, which postgresql.conf
// includes and every start writes anew. Whatever an administrator sets by ALTER
// SYSTEM, or below the include, wins over it.
func configuration(sets ...[]setting) string {
	var text strings.Builder
	text.WriteString("# Written by Malote at every start. Use ALTER SYSTEM for settings of your own.\n")
	for _, set := range sets {
		for _, s := range set {
			fmt.Fprintf(&text, "%s = '%s'\n", s.name, s.value)
		}
	}
	return text.String()
}

// settings are those of a server of this installation on this machine.
func (h *home) settings(ctx context.Context, i installation, isEphemeral bool) string {
	if isEphemeral {
		return configuration(common, ephemeral)
	}
	return configuration(common, durable, []setting{
		{compression, i.logCompression(ctx, h.who, h.dataDir())},
		{"shared_buffers", fmt.Sprintf("%dMB", sharedBuffers(availableMemory())>>20)},
	})
}

// arguments returns what no configuration file may change: who can reach the
// server, and where.
func (h *home) arguments() []string {
	return []string{
		"-D", h.dataDir(),
		"-c", "listen_addresses=",
		"-c", "port=" + port,
		"-c", "unix_socket_directories=" + h.socketDir,
		"-c", "unix_socket_permissions=0700",
	}
}
