package api

// Histogram counts attempts by how long they took.
type Histogram struct {
	Bounds []int64 // upper bounds in milliseconds, ascending
	Counts []int64 // one more than Bounds: the last is of the rest
}

// quantile estimates how long the attempts took of which a share q were no longer,
// in milliseconds: as if those between two bounds were spread evenly. What is
// beyond the last bound counts as that bound. ok is false if there are none.
func (h Histogram) quantile(q float64) (milliseconds float64, ok bool) {
	var total int64
	for _, n := range h.Counts {
		total += n
	}
	if total == 0 || len(h.Counts) != len(h.Bounds)+1 {
		return 0, false
	}
	rank, below := q*float64(total), 0.0
	for i, bound := range h.Bounds {
		n := float64(h.Counts[i])
		if n > 0 && below+n >= rank {
			lower := 0.0
			if i > 0 {
				lower = float64(h.Bounds[i-1])
			}
			return lower + (float64(bound)-lower)*(rank-below)/n, true
		}
		below += n
	}
	return float64(h.Bounds[len(h.Bounds)-1]), true
}

// LatencyJSON is how long attempts took, for others to embed; exported because
// huma reads embedded members only of exported types.
type LatencyJSON struct {
	LatencyP50MS *float64 `json:"latency_p50_ms" example:"42.5" doc:"How long attempts took, estimated from counts by duration; null: there were none."`
	LatencyP95MS *float64 `json:"latency_p95_ms" example:"180"`
	LatencyP99MS *float64 `json:"latency_p99_ms" example:"950"`
}

func showLatency(h Histogram) LatencyJSON {
	show := func(q float64) *float64 {
		milliseconds, ok := h.quantile(q)
		if !ok {
			return nil
		}
		milliseconds = float64(int64(milliseconds*10+.5)) / 10 // it is an estimate
		return &milliseconds
	}
	return LatencyJSON{LatencyP50MS: show(.5), LatencyP95MS: show(.95), LatencyP99MS: show(.99)}
}
