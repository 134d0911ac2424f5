package demo

import (
	"cmp"
	"errors"
	"io"
	"time"
)

// Defaults of Options.
const (
	DefaultDuration   = 20 * time.Second
	DefaultDrain      = 30 * time.Second
	DefaultRate       = 150
	DefaultPublishers = 8
	DefaultMaxP99     = 200 * time.Millisecond

	defaultRefresh    = time.Second
	defaultBlocks     = 5 * time.Second
	defaultSecondLook = 2 * time.Second
	defaultWidth      = 100
	defaultHeight     = 40
)

// Options of Run. BaseURL, AdminKey and Out must be given.
type Options struct {
	BaseURL  string // of the API, such as http://127.0.0.1:8420
	AdminKey string

	Out           io.Writer
	Terminal      bool // redraw in place, with colours unless NO_COLOR is set
	Width, Height int  // of the window; 0: Out's own, if it is a terminal

	Duration   time.Duration // of the publishing
	Drain      time.Duration // how long what is pending afterwards may take at most
	Rate       int           // events per second
	Publishers int           // at once
	Seed       uint64        // of the events

	// Policy is what all endpoints have; "": each its own, standard or fair-queue.
	Policy string

	MaxP99 time.Duration // from publish to receipt, of every healthy endpoint

	refresh    time.Duration // between two looks at the API
	blocks     time.Duration // between two blocks of lines where nothing can be redrawn
	secondLook time.Duration // how long a finding gets to turn out to be a matter of time
}

func (o *Options) complete() error {
	if o.BaseURL == "" || o.AdminKey == "" || o.Out == nil {
		return errors.New("demo: BaseURL, AdminKey and Out are needed")
	}
	o.Duration = cmp.Or(o.Duration, DefaultDuration)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	o.Rate = cmp.Or(o.Rate, DefaultRate)
	o.Publishers = cmp.Or(o.Publishers, DefaultPublishers)
	o.Seed = cmp.Or(o.Seed, 1)
	o.MaxP99 = cmp.Or(o.MaxP99, DefaultMaxP99)
	o.refresh = cmp.Or(o.refresh, defaultRefresh)
	o.blocks = cmp.Or(o.blocks, defaultBlocks)
	o.secondLook = cmp.Or(o.secondLook, defaultSecondLook)
	if o.Duration < 0 || o.Drain < 0 || o.Rate < 0 || o.Publishers < 0 {
		return errors.New("demo: durations, the rate and the number of publishers must be positive")
	}
	return nil
}

// events is how many events are published.
func (o *Options) events() int {
	return max(int(o.Duration.Seconds()*float64(o.Rate)), 1)
}
