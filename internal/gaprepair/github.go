package gaprepair

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// github lists the deliveries of a hook: GET …/hooks/{id}/deliveries.
type github struct{}

var githubHeader = http.Header{
	"Accept":               {"application/vnd.github+json"},
	"X-Github-Api-Version": {"2022-11-28"},
}

func (github) base() string { return "https://api.github.com" }

// GitHub repeats deliveries of the last three days. The list is left a little
// later than they are given up, so that the last ask is made for each.
func (github) reach() time.Duration { return 70 * time.Hour }

func (github) list(ctx context.Context, c *caller, _ time.Time, cursor string) (listing, error) {
	query := url.Values{"per_page": {strconv.Itoa(largestPage)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	got, err := c.do(ctx, http.MethodGet, c.source.Hook.path()+"/deliveries", query, githubHeader)
	if err != nil {
		return listing{}, err
	}
	page, ok := readGitHub(got.body, c.source.Filtered)
	if !ok {
		return listing{}, c.unreadable()
	}
	if page.next, ok = nextCursor(got.header.Values("Link")); !ok {
		return listing{}, c.unreadable()
	}
	page.date = got.date
	return page, nil
}

// ask has a delivery sent again: POST …/deliveries/{id}/attempts.
func (github) ask(ctx context.Context, c *caller, one item) error {
	_, err := c.do(ctx, http.MethodPost, c.source.Hook.path()+"/deliveries/"+one.id+"/attempts", nil, githubHeader)
	return err
}

// readGitHub reads a page. A redelivery has the guid of the delivery that it
// repeats, and stands beside it: only the first one of a guid counts. A page of
// more than was asked for is none, as of Stripe.
func readGitHub(body []byte, filtered bool) (listing, bool) {
	var list []struct {
		ID          int64     `json:"id"`
		GUID        string    `json:"guid"`
		DeliveredAt time.Time `json:"delivered_at"`
		Redelivery  bool      `json:"redelivery"`
		StatusCode  int       `json:"status_code"`
	}
	if json.Unmarshal(body, &list) != nil || list == nil || len(list) > largestPage {
		return listing{}, false
	}
	page := listing{}
	for _, one := range list {
		if one.ID <= 0 || one.GUID == "" || one.DeliveredAt.IsZero() {
			return listing{}, false
		}
		page.items = append(page.items, item{
			id: strconv.FormatInt(one.ID, 10), key: one.GUID, at: one.DeliveredAt.UTC(),
			skip: one.Redelivery || filtered && one.StatusCode >= 200 && one.StatusCode < 300,
		})
	}
	return page, true
}

// nextCursor finds the next page in Link headers (RFC 8288): the cursor alone,
// since whatever host a link names, it gets no token of ours. None is "", true.
func nextCursor(headers []string) (string, bool) {
	for _, header := range headers {
		for header != "" {
			_, rest, found := strings.Cut(header, "<")
			if !found {
				break
			}
			target, rest, found := strings.Cut(rest, ">")
			if !found {
				return "", false
			}
			parameters, rest, _ := strings.Cut(rest, "<")
			header = rest
			if rest != "" {
				header = "<" + rest
			}
			if isNext(parameters) {
				return cursorIn(target)
			}
		}
	}
	return "", true
}

func isNext(parameters string) bool {
	for parameter := range strings.SplitSeq(strings.TrimRight(parameters, ", \t"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "rel") && strings.EqualFold(strings.Trim(value, `"`), "next") {
			return true
		}
	}
	return false
}

func cursorIn(target string) (string, bool) {
	link, err := url.Parse(target)
	if err != nil {
		return "", false
	}
	cursor := link.Query().Get("cursor")
	return cursor, cursor != ""
}
