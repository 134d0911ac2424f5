package report

import (
	"cmp"
	"slices"
	"time"
)

// Quantile is the smallest value of a sorted list that at least the share q does
// not exceed; 0 where there is none.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	// Nearest rank: the share's position, rounded up, counted from one.
	rank := int(q * float64(len(sorted)))
	if float64(rank) < q*float64(len(sorted)) {
		rank++
	}
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// QuantilesOf takes a list in the order in which it came about.
func QuantilesOf(inOrder []time.Duration) Quantiles {
	sorted := slices.Sorted(slices.Values(inOrder))
	return Quantiles{
		Count: len(sorted), P50: Millis(Quantile(sorted, .5)), P95: Millis(Quantile(sorted, .95)),
		P99: Millis(Quantile(sorted, .99)), Most: Millis(Quantile(sorted, 1)), P99OfTenths: Millis(p99OfTenths(inOrder)),
	}
}

// p99OfTenths is the median of the p99s of ten parts, one after another.
func p99OfTenths(inOrder []time.Duration) time.Duration {
	const tenths = 10
	var each []time.Duration
	for i := range tenths {
		part := inOrder[i*len(inOrder)/tenths : (i+1)*len(inOrder)/tenths]
		if len(part) > 0 {
			each = append(each, Quantile(slices.Sorted(slices.Values(part)), .99))
		}
	}
	slices.Sort(each)
	return Quantile(each, .5)
}

// Millis is a time in milliseconds, to the microsecond.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// MedianRun is the run whose delivered rate is the median, the lower of two in the
// middle, with the rates of all. There must be one.
func MedianRun(runs []Throughput) Throughput {
	sorted := slices.SortedStableFunc(slices.Values(runs), func(a, b Throughput) int { return cmp.Compare(a.Delivered, b.Delivered) })
	median := sorted[(len(sorted)-1)/2]
	median.AllRuns = nil
	for _, run := range runs {
		median.AllRuns = append(median.AllRuns, run.Delivered)
		median.Failed = max(median.Failed, run.Failed) // a failure is not averaged away
		median.FirstFail = cmp.Or(median.FirstFail, run.FirstFail)
	}
	return median
}

// Ratio is a/b; 0 where there is nothing to divide by.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
