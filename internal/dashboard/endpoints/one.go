package endpoints

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/malotehq/malote/internal/contractpage"
	"github.com/malotehq/malote/internal/dashboard/lang"
	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/delivery"
)

// refreshEvery is how often a page that is open gets new figures.
const refreshEvery = 2 * time.Second

// state is an endpoint as it is now, with what explains it.
type state struct {
	Endpoint records.Endpoint
	Is       condition
	Turns    []turn   // the newest first
	Failure  *failure // the last there is to show, while it fails
}

// since is the turn that brought a condition about; nil: it is not known.
func (s state) since() *turn {
	kinds := map[condition][]string{
		paused: {"pause-webhook-endpoint"}, disabledByOne: {"disable-webhook-endpoint"},
		disabledByUs: {"endpoint_disabled"}, opened: {"circuit_opened"}, probed: {"circuit_opened"},
	}[s.Is]
	for i, t := range s.Turns {
		for _, kind := range kinds {
			if t.Kind == kind {
				return &s.Turns[i]
			}
		}
	}
	return nil
}

// failure is an attempt that failed, with its delivery.
type failure struct {
	DeliveryID string
	records.Attempt
}

// contact is whom to ask about a tenant's endpoints.
type contact struct {
	Name             string   `json:"name"`
	TechnicalContact string   `json:"technical_contact"`
	AlertEmails      []string `json:"alert_emails"`
}

// oneView is what an endpoint's first page shows.
type oneView struct {
	state
	Series  records.Series
	Contact *contact
	Test    *records.EndpointTest // if one was just sent
}

func showOne(r *page.Request) error {
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	return showView(r, view)
}

func showView(r *page.Request, view oneView) error {
	return r.Show(page.Content{Title: view.Endpoint.URL, Body: onePage(view)})
}

func viewOf(r *page.Request) (view oneView, err error) {
	endpoint, err := endpointOf(r)
	if err != nil {
		return oneView{}, err
	}
	if view.state, err = explained(r.Context(), r, endpoint); err != nil {
		return oneView{}, err
	}
	view.Series, err = page.Get[records.Series](r, page.API("stats", "series"), url.Values{"endpoint": {endpoint.ID}})
	if err != nil {
		return oneView{}, err
	}
	view.Contact, err = permitted[contact](r.Context(), r, page.API("tenants", endpoint.Tenant), nil)
	return view, err
}

// explained gathers what explains how an endpoint is doing.
func explained(ctx context.Context, r *page.Request, endpoint records.Endpoint) (s state, err error) {
	s = state{Endpoint: endpoint, Is: conditionOf(endpoint)}
	if s.Turns, err = turnsOf(ctx, r, endpoint); err != nil {
		return state{}, err
	}
	if endpoint.ConsecutiveFailures > 0 || s.Is == disabledByUs {
		s.Failure, err = lastFailure(ctx, r, endpoint.ID, s.Turns)
	}
	return s, err
}

// streamOne sends the endpoint's state. What explains it is asked for again only
// when the state is another one, or failed anew.
func streamOne(r *page.Request) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	var known state
	return page.StreamEvery(r, refreshEvery, func(ctx context.Context, s *page.Stream) error {
		endpoint, err := page.GetIn[records.Endpoint](ctx, r, api(id), nil)
		if err != nil {
			return err
		}
		is := conditionOf(endpoint)
		if known.Endpoint.ID == "" || is != known.Is || endpoint.ConsecutiveFailures != known.Endpoint.ConsecutiveFailures {
			if known, err = explained(ctx, r, endpoint); err != nil {
				return err
			}
		}
		known.Endpoint = endpoint
		return s.Part(page.WithTime(ctx, time.Now()), nowPart(known))
	})
}

// permitted asks for something that the visitor may not be allowed to see, or
// that is gone: then there is none.
func permitted[T any](ctx context.Context, r *page.Request, path string, query url.Values) (*T, error) {
	found, err := page.GetIn[T](ctx, r, path, query)
	if problem, ok := page.AsProblem(err); ok && (problem.Status == http.StatusForbidden || problem.Status == http.StatusNotFound) {
		return nil, nil
	}
	return &found, err
}

// shownDeliveries is how many of a list a page about an endpoint shows.
const shownDeliveries = 20

func deliveriesOf(ctx context.Context, r *page.Request, id string, kind delivery.State, limit int) ([]records.Delivery, error) {
	found, err := page.GetIn[page.List[records.Delivery]](ctx, r, page.API("webhook_deliveries"), url.Values{
		"endpoint": {id}, "state": {string(kind)}, "limit": {strconv.Itoa(limit)},
	})
	return found.Data, err
}

// lastFailure is the latest failed attempt of those that there are to look at:
// of the delivery by which the endpoint's state came about, of one that waits, or
// of one that died.
func lastFailure(ctx context.Context, r *page.Request, id string, turns []turn) (last *failure, _ error) {
	candidates, err := failedDeliveries(ctx, r, id, turns)
	if err != nil {
		return nil, err
	}
	for _, candidate := range candidates {
		found, err := permitted[records.Delivery](ctx, r, page.API("webhook_deliveries", candidate), nil)
		if err != nil {
			return nil, err
		}
		if found == nil || len(found.Attempts) == 0 {
			continue
		}
		attempt := found.Attempts[len(found.Attempts)-1]
		if attempt.ErrorCode != "" && (last == nil || attempt.StartedAt.After(last.StartedAt)) {
			last = &failure{candidate, attempt}
		}
	}
	return last, nil
}

func failedDeliveries(ctx context.Context, r *page.Request, id string, turns []turn) (ids []string, _ error) {
	if at := slices.IndexFunc(turns, func(t turn) bool { return t.DeliveryID != "" }); at >= 0 {
		ids = append(ids, turns[at].DeliveryID)
	}
	for _, kind := range []delivery.State{delivery.Pending, delivery.Dead} {
		list, err := deliveriesOf(ctx, r, id, kind, shownDeliveries)
		if err != nil {
			return nil, err
		}
		if at := slices.IndexFunc(list, func(d records.Delivery) bool { return d.LastErrorCode != "" }); at >= 0 {
			ids = append(ids, list[at].ID)
		}
	}
	return ids, nil
}

// deliveriesView is what the page about an endpoint's deliveries shows.
type deliveriesView struct {
	Endpoint      records.Endpoint
	Pending, Dead []records.Delivery
}

func showDeliveries(r *page.Request) error {
	endpoint, err := endpointOf(r)
	if err != nil {
		return err
	}
	view := deliveriesView{Endpoint: endpoint}
	if view.Pending, err = deliveriesOf(r.Context(), r, endpoint.ID, delivery.Pending, shownDeliveries); err != nil {
		return err
	}
	if view.Dead, err = deliveriesOf(r.Context(), r, endpoint.ID, delivery.Dead, shownDeliveries); err != nil {
		return err
	}
	return r.Show(page.Content{Title: deliveriesText.In(r.Context()) + " · " + endpoint.URL, Body: deliveriesPage(view)})
}

// downloadContract gives what the endpoint's policy promises to who receives, as
// a page to hand on.
func downloadContract(r *page.Request) error {
	endpoint, err := endpointOf(r)
	if err != nil {
		return err
	}
	language := contractpage.English
	if lang.From(r.Context()) == lang.Portuguese {
		language = contractpage.Portuguese
	}
	query := url.Values{"format": {string(contractpage.HTML)}, "lang": {string(language)}}
	return page.Download(r, page.API("policies", endpoint.Policy, "contract"), query, endpoint.Policy+".html")
}
