package deliveries

import (
	"net/http"

	"github.com/malotehq/malote/internal/dashboard/page"
	"github.com/malotehq/malote/internal/dashboard/records"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
)

// subject is a delivery with what belongs to it. What could not be found is nil:
// the endpoint was deleted, the event is no longer kept, the policy is not known.
type subject struct {
	Delivery records.Delivery
	Endpoint *records.Endpoint
	Event    *records.Event
	Policy   *policy.Policy
}

// oneView is what a delivery's page shows.
type oneView struct {
	subject
	Next  next
	Sent  sent
	Check *check // of a signature, if somebody asked for it
}

func showOne(r *page.Request) error {
	view, err := viewOf(r)
	if err != nil {
		return err
	}
	return showView(r, view)
}

func showView(r *page.Request, view oneView) error {
	return r.Show(page.Content{Title: deliveryText.In(r.Context()) + " " + view.Delivery.ID, Body: onePage(view)})
}

// viewOf gathers what there is about the delivery that the path names.
func viewOf(r *page.Request) (view oneView, err error) {
	view.Delivery, err = page.Get[records.Delivery](r, page.API("webhook_deliveries", r.PathValue("id")), nil)
	if err != nil {
		return oneView{}, err
	}
	if id := view.Delivery.EndpointID; id != "" {
		if view.Endpoint, err = maybe[records.Endpoint](r, page.API("webhook_endpoints", id)); err != nil {
			return oneView{}, err
		}
	}
	if view.Event, err = maybe[records.Event](r, page.API("events", view.Delivery.EventID)); err != nil {
		return oneView{}, err
	}
	if view.Endpoint != nil {
		found, err := maybe[records.Policy](r, page.API("policies", view.Endpoint.Policy))
		if err != nil {
			return oneView{}, err
		}
		if found != nil {
			view.Policy, _ = policy.Parse([]byte(found.YAML)) // one that this version cannot read is not known
		}
	}
	body, err := bodyOf(r, view.Delivery.ID)
	if err != nil {
		return oneView{}, err
	}
	view.Sent = sentOf(view.subject, body)
	view.Next = nextOf(view.subject, page.From(r.Context()).Now)
	return view, nil
}

// maybe asks for something that may be gone.
func maybe[T any](r *page.Request, path string) (*T, error) {
	found, err := page.Get[T](r, path, nil)
	if problem, ok := page.AsProblem(err); ok && problem.Status == http.StatusNotFound {
		return nil, nil
	}
	return &found, err
}

// bodyOf are the bytes as sent; nil: they are no longer kept.
func bodyOf(r *page.Request, id string) (*page.Raw, error) {
	raw, err := page.GetRaw(r, page.API("webhook_deliveries", id, "body"), nil)
	if problem, ok := page.AsProblem(err); ok && problem.Status == http.StatusNotFound {
		return nil, nil
	}
	return &raw, err
}

func downloadBody(r *page.Request) error {
	id := r.PathValue("id")
	if _, err := delivery.ParseID(delivery.DeliveryPrefix, id); err != nil {
		return page.NotFound()
	}
	return page.Download(r, page.API("webhook_deliveries", id, "body"), nil, id+".body")
}

// replayable says whether the page offers to send it again; the API decides.
func (v subject) replayable() bool {
	return v.Endpoint != nil && (v.Policy == nil || v.Policy.Replayable(delivery.State(v.Delivery.State)))
}

func (v subject) resolvable() bool { return v.Delivery.State == string(delivery.Dead) }
