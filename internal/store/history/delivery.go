package history

import (
	"context"
	"errors"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// MaxDeliveriesOfEvent bounds DeliveriesOfEvent; Deliveries pages through more.
const MaxDeliveriesOfEvent = 1000

// DeliveryFilter says which deliveries to list, newest first. The zero value
// lists all of all tenants. Conditions are joined by "and": an endpoint of
// another tenant than the one named gives an empty list.
type DeliveryFilter struct {
	Tenant     string
	EndpointID delivery.ID
	EventID    delivery.ID
	State      delivery.State // "": all
	EventType  string         // exact; "": all
	Since      time.Time      // of events accepted then or later; zero: no bound
	Until      time.Time      // of events accepted before; zero: no bound
	After      delivery.ID    // the page before ended here; zero: the first page
	Limit      int            // at most MaxLimit; 0: DefaultLimit
}

// DeliveryPage is one page of deliveries.
type DeliveryPage struct {
	Deliveries []delivery.Delivery

	// Next is the filter's After for the following page; zero: this is the
	// last. A page with a Next may be short, even empty: deliveries that the
	// filter leaves out are looked through for a bounded time.
	Next delivery.ID
}

// Delivery gives one delivery and its attempts, by number; ErrNotFound if there
// is none.
func (r *Reader) Delivery(ctx context.Context, id delivery.ID) (*delivery.Delivery, []delivery.Attempt, error) {
	return nil, nil, errors.ErrUnsupported
}

// DeliveriesOfEvent says what became of an event: its deliveries by ascending
// id, at most MaxDeliveriesOfEvent. Whether the event exists it does not say.
func (r *Reader) DeliveriesOfEvent(ctx context.Context, event delivery.ID) ([]delivery.Delivery, error) {
	return nil, errors.ErrUnsupported
}

// Deliveries lists deliveries by descending id (R04).
func (r *Reader) Deliveries(ctx context.Context, filter DeliveryFilter) (DeliveryPage, error) {
	return DeliveryPage{}, errors.ErrUnsupported
}
