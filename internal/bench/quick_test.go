package bench

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	program := os.Getenv("BENCH_PROGRAM")
	if program == "" {
		t.Skip()
	}
	for _, c := range [][3]int{{32, 100, 0}, {128, 100, 0}, {128, 1, 64}} {
		got, err := RunThroughput(t.Context(), ThroughputOptions{Program: program, Publishers: c[0], Endpoints: c[1], MaxInFlight: c[2], WarmUp: 3 * time.Second, Duration: 10 * time.Second})
		fmt.Printf("%+v %v\n", got, err)
	}
	fmt.Println(BareRequests(t.Context(), 64, 3*time.Second))
}
