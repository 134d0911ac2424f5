package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/malotehq/malote/internal/bench/report"
)

// stage is a database, the processes on it, and the receivers that they send to.
type stage struct {
	*database
	bench     *bench
	cast      cast
	receivers *receivers
	serves    []*process
	urls      []string // of the processes that take events
}

// cast says which processes a stage has.
type cast struct {
	roles       [][]string // one process for each; an empty list is all roles
	maxInFlight int        // 0: the run's
	peer        *Peer      // instead of Malote
}

// aWhole is one Malote that does everything.
var aWhole = cast{roles: [][]string{nil}}

func (b *bench) openStage(ctx context.Context, c cast) (_ *stage, err error) {
	s := &stage{bench: b, cast: c}
	if s.receivers, err = openReceivers(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.database, err = b.openDatabase(ctx); err != nil {
		return nil, err
	}
	if c.peer != nil {
		return s, s.add(ctx, c.peer.Command, true)
	}
	inFlight := b.MaxInFlight
	if c.maxInFlight > 0 {
		inFlight = c.maxInFlight
	}
	for _, roles := range c.roles {
		command := []string{b.Program, "serve", "--listen", "127.0.0.1:0", "--data-dir", s.dir + "/malote",
			"--allow-destinations", "127.0.0.0/8", "--log-level", "warn", "--drain-timeout", "2s", "--max-in-flight", strconv.Itoa(inFlight)}
		if len(roles) > 0 {
			command = append(command, "--role", strings.Join(roles, ","))
		}
		if err := s.add(ctx, command, len(roles) == 0 || slices.Contains(roles, "api")); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *stage) add(ctx context.Context, command []string, takesEvents bool) error {
	p, err := startProcess(ctx, command, s.database, len(s.serves), s.bench.MaxInFlight)
	if err != nil {
		return err
	}
	s.serves = append(s.serves, p)
	if takesEvents {
		s.urls = append(s.urls, p.url)
	}
	return nil
}

// close ends the processes, the receivers first, whose hanging requests would be
// waited for.
func (s *stage) close() {
	if most, err := s.rssMost(); err == nil && s.cast.peer == nil {
		s.bench.rss[s.bench.scenario] = max(s.bench.rss[s.bench.scenario], most)
	}
	s.receivers.close()
	var stops sync.WaitGroup
	for _, p := range s.serves {
		stops.Go(p.stop)
	}
	stops.Wait()
	if s.database != nil {
		s.database.close()
	}
}

// rssMost is the most memory that any of the processes was resident with.
func (s *stage) rssMost() (most int64, _ error) {
	if len(s.serves) == 0 {
		return 0, errors.New("there is no process")
	}
	for _, p := range s.serves {
		one, err := p.rssMost()
		if err != nil {
			return 0, err
		}
		most = max(most, one)
	}
	return most, nil
}

// endpointOptions of those that prepare makes.
type endpointOptions struct {
	maxInFlight int    // 0: the policy's
	policy      string // "": the default
}

// atOnce is how many endpoints are made at once.
const atOnce = 8

// tenant is whose events everything is.
const tenant = "bench"

// prepare makes a tenant and its endpoints, whose paths at the receivers are their
// numbers.
func (s *stage) prepare(ctx context.Context, endpoints int, o endpointOptions) (target, error) {
	t := target{tenant: tenant, endpoints: make([]string, endpoints)}
	client := newHTTPClient(atOnce)
	defer client.CloseIdleConnections()
	if _, err := post(ctx, client, s.urls[0]+"/v1/tenants", `{"id":"`+tenant+`"}`); err != nil {
		return t, fmt.Errorf("making a tenant: %w", err)
	}
	failures := make([]error, atOnce)
	var makers sync.WaitGroup
	for m := range atOnce {
		makers.Go(func() {
			for i := m; i < endpoints && failures[m] == nil; i += atOnce {
				t.endpoints[i], failures[m] = makeEndpoint(ctx, s, i, o, client)
			}
		})
	}
	makers.Wait()
	return t, errors.Join(failures...)
}

func makeEndpoint(ctx context.Context, s *stage, number int, o endpointOptions, client httpClient) (string, error) {
	body := map[string]any{"tenant": tenant, "url": s.receivers.url + "/" + strconv.Itoa(number)}
	if o.maxInFlight > 0 {
		body["max_in_flight"] = o.maxInFlight
	}
	if o.policy != "" {
		body["policy"] = o.policy
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("describing an endpoint: %w", err)
	}
	answer, err := post(ctx, client, s.urls[0]+"/v1/webhook_endpoints", string(encoded))
	if err != nil {
		return "", fmt.Errorf("making an endpoint: %w", err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", fmt.Errorf("reading the endpoint that was made: %w", err)
	}
	return made.ID, nil
}

// system is the name that rows of this stage go under.
func (c cast) system() report.System {
	if c.peer != nil {
		return c.peer.Name
	}
	return report.Malote
}
