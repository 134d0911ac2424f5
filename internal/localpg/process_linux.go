package localpg

import (
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithUs has the kernel send the signal to the command when the thread that
// started it dies. The command must have SysProcAttr.
func dieWithUs(cmd *exec.Cmd, signal syscall.Signal) { cmd.SysProcAttr.Pdeathsig = signal }

// servesFrom tells whether pid is a PostgreSQL process of the cluster: all of
// them, postmaster and backends, have its data directory as working directory.
// Zombies have none.
func servesFrom(pid int, data fs.FileInfo) bool {
	process := "/proc/" + strconv.Itoa(pid)
	name, err := os.ReadFile(process + "/comm")
	if err != nil || strings.TrimSpace(string(name)) != "postgres" {
		return false
	}
	directory, err := os.Stat(process + "/cwd")
	return err == nil && os.SameFile(directory, data)
}

// serversOf lists the processes of a cluster.
func serversOf(data fs.FileInfo) []int {
	entries, _ := os.ReadDir("/proc") // unreadable: we see none, and PostgreSQL's own checks remain
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && servesFrom(pid, data) {
			pids = append(pids, pid)
		}
	}
	return pids
}
