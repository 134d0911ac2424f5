package main

import (
	"bufio"
	"fmt"
)

// judgeEach prints what is said of every record on standard input, a line each.
func judgeEach(env *environment, doing string, judge func(record []byte) (any, error)) error {
	in, out := bufio.NewReader(env.stdin), bufio.NewWriter(env.stdout)
	progress := env.progress(doing)
	defer progress.stop()
	count := 0
	err := eachRecord(in, func(record []byte) error {
		judged, err := judge(record)
		if err != nil {
			return err
		}
		count++
		progress.say("%s: %d", doing, count)
		_, err = fmt.Fprintf(out, "%s\n", encoded(judged))
		return err
	})
	if flushed := out.Flush(); flushed != nil {
		return fmt.Errorf("writing the verdicts: %w", flushed)
	}
	return err
}
