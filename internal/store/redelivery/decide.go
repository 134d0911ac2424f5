package redelivery

import (
	"context"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// decide gives every candidate its refusal, or none.
func (r *replaying) decide(context.Context) error {
	for _, c := range r.found {
		refusal, err := r.refusal(c)
		if err != nil {
			return err
		}
		c.refusal = refusal
	}
	r.refuseAllButNewest()
	return nil
}

// refusal says what speaks against a candidate by itself. errAgain: the policy
// was not asked about what is true now.
func (r *replaying) refusal(c *candidate) (Refusal, error) {
	if c.state.Open() {
		return NotReplayable, nil
	}
	if c.endpointID.IsZero() {
		return NoEndpoint, nil
	}
	if !c.locked {
		c.state = delivery.Pending // somebody else reopened it after the survey
		return NotReplayable, nil
	}
	allowed, asked := r.allowed[permission{c.policy, c.state}]
	if !asked && c.policy != "" {
		return "", errAgain
	}
	status, exists := r.lanes[c.endpointID]
	switch {
	case c.policy != "" && !allowed:
		return NotReplayable, nil
	case !exists || c.policy == "" || status == delivery.Deleted:
		return EndpointDeleted, nil
	case !status.Accepts():
		return EndpointDisabled, nil
	case !c.eventKept:
		return EventExpired, nil
	case c.atMostOnce && c.attempts > 0 && !policy.NeverSent(c.lastError):
		return MayHaveArrived, nil
	case c.coalesceKey != "" && hasNewer(r.rivals[c.entity()], c.id):
		return Superseded, nil
	}
	return "", nil
}

// refuseAllButNewest leaves of several candidates of one entity the newest: only
// one can be pending.
func (r *replaying) refuseAllButNewest() {
	newest := make(map[entity]*candidate)
	for _, c := range r.found {
		if c.coalesceKey == "" || c.refusal != "" {
			continue
		}
		other := newest[c.entity()]
		switch {
		case other == nil:
			newest[c.entity()] = c
		case newer(c.id, other.id):
			other.refusal = Superseded
			newest[c.entity()] = c
		default:
			c.refusal = Superseded
		}
	}
}

func (r *replaying) refused() bool {
	for _, id := range r.ids {
		if c := r.found[id]; c == nil || c.refusal != "" {
			return true
		}
	}
	return false
}

func (r *replaying) answer() Replay {
	answer := Replay{Done: r.done}
	seen := make(map[delivery.ID]bool)
	for _, id := range r.ids {
		c := r.found[id]
		if c == nil {
			answer.Results = append(answer.Results, Result{ID: id, Refusal: NotFound})
			continue
		}
		answer.Results = append(answer.Results, Result{
			Tenant: c.tenant,
			ID:     id, Refusal: c.refusal, State: c.state, EventID: c.eventID, EndpointID: c.endpointID, URL: c.url,
		})
		if r.done && !seen[c.endpointID] {
			seen[c.endpointID] = true
			answer.Lanes = append(answer.Lanes, delivery.LaneRef{Shard: c.endpointID.Shard(), EndpointID: c.endpointID})
		}
	}
	return answer
}
