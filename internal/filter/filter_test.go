package filter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/malotehq/malote/internal/delivery"
)

const order = `{
	"id": "o-1", "total": 1500, "rate": 0.1, "paid": true, "note": null, "weird key": 1, "in": 2,
	"customer": {"name": "Zoë", "tags": ["vip", "br"]},
	"items": [{"sku": "A", "quantity": 2}, {"sku": "B", "quantity": 1}],
	"big": 9007199254740993, "large": 9223372036854775809, "huge": 18446744073709551615, "more": 18446744073709551616, "whole": 3.0
}`

func orderEvent() *Event {
	return NewEvent(&delivery.Event{
		Tenant: "acme", Type: "order.paid", ContentType: "application/json", ExternalID: "x-1", CoalesceKey: "order:1",
		EntityVersion: "7", OccurredAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}, []byte(order))
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		`type == "order.paid"`:        true,
		`type.startsWith("invoice.")`: false,
		`type in ["a", "order.paid"]`: true,
		`tenant == "acme" && content_type == "application/json" && external_id == "x-1"`: true,
		`coalesce_key == "order:1" && entity_version == "7"`:                             true,
		`int(entity_version) < 7`:                                      false,
		`occurred_at >= timestamp("2026-03-01T00:00:00Z")`:             true,
		`occurred_at.getFullYear() == 2026`:                            true,
		`data.total > 1000`:                                            true,
		`data.total > 1500.5`:                                          false,
		`data.total == 1500.0`:                                         true,
		`data.total in [1500.0, 2.0]`:                                  true,
		`data.rate < 1`:                                                true,
		`data.whole == 3`:                                              true,
		`data.paid`:                                                    true,
		`!data.paid`:                                                   false,
		`data.note == null`:                                            true,
		`data["weird key"] == 1 && data["in"] == 2`:                    true,
		`has(data.missing)`:                                            false,
		`has(data.note)`:                                               true,
		`has(data.missing) && data.missing > 3`:                        false,
		`data.customer.name == "Zoë"`:                                  true,
		`size(data.customer.name) == 3`:                                true,
		`"vip" in data.customer.tags`:                                  true,
		`"id" in data && !("total2" in data)`:                          true,
		`data.items.exists(i, i.sku == "B" && i.quantity < 2)`:         true,
		`data.items.all(i, i.quantity > 1)`:                            false,
		`data.items.filter(i, i.quantity > 1).size() == 1`:             true,
		`data.items.map(i, i.sku) == ["A", "B"]`:                       true,
		`data.customer.exists(k, k == "tags")`:                         true,
		`data.items.exists_one(i, i.sku == "A")`:                       true,
		`data.items.map(i, i.quantity > 1, i.sku) == ["A"]`:            true,
		`[].all(x, x > 1)`:                                             true,
		`data.items[1].sku == "B"`:                                     true,
		`data.id.matches("^o-[0-9]+$")`:                                true,
		`matches(data.id, "^x")`:                                       false,
		`type == "a" || data.total == 1500`:                            true,
		`data.big == 9007199254740993 && data.big != 9007199254740992`: true,
		`data.large == 9223372036854775809u && data.large != 9223372036854775810u`: true,
		`data.huge == 18446744073709551615u && data.huge > data.big`:               true,
		`data.more > data.huge`:                      false, // the nearest double is the same
		`data.more >= data.huge && data.more > 1000`: true,
		`true // all of them`:                        true,
		`type == "nothing" && data.missing > 3`:      false, // the answer does not depend on it
		`data.missing > 3 && type == "nothing"`:      false,
		`type == "order.paid" || data.missing > 3`:   true,
	} {
		f, err := Compile(source)
		require.NoError(t, err, source)
		got, err := f.Match(orderEvent())
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

func TestMatch_WhatItCannotJudgeGetsThrough(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`data.missing > 3`,
		`data.missing.deeper`,
		`!has(data.missing.deeper)`,
		`!(data.missing > 3)`,
		`data.total > "1000"`,
		`data.id > 3`,
		`data.items[2].sku == "C"`,
		`data.items["a"] == 1`,
		`data.items.sku == "A"`,
		`data.total`, // neither true nor false
		`data.customer`,
		`data.note`,
		`data.note > 3`,
		`data.total / 0 == 1`,
		`data.big * data.big * data.big > 0`, // overflows
		`int(data.id) == 1`,
		`timestamp(data.id) < occurred_at`,
		`data.total.matches("1")`,
		`data.customer.name.missing == 1`,
		`data.id.exists(c, true)`, // a text is not a list
		`data.total.all(c, true)`,
		`data.note.map(c, c) == []`,
	} {
		f, err := Compile(source)
		require.NoError(t, err, source)
		got, err := f.Match(orderEvent())
		require.ErrorIs(t, err, ErrUndecided, source)
		require.True(t, got, source)
	}
}

func TestMatch_DataIsThePublishersJSON(t *testing.T) {
	t.Parallel()
	f, err := Compile("data.a == 1")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		contentType, body string
		data              []byte
		wantErr           error
	}{
		"data":                     {"application/json", `{"envelope":true}`, []byte(`{"a":1}`), nil},
		"own body":                 {"application/json", `{"a":1}`, nil, nil},
		"with a parameter":         {"Application/JSON; charset=utf-8", `{"a":1}`, nil, nil},
		"built on JSON":            {"application/cloudevents+json", `{"a":1}`, nil, nil},
		"not JSON by its type":     {"text/plain", `{"a":1}`, nil, ErrUndecided},
		"not JSON":                 {"application/json", `a=1`, nil, ErrUndecided},
		"two values":               {"application/json", `{"a":1}{"a":1}`, nil, ErrUndecided},
		"broken off":               {"application/json", `{"a":1`, nil, ErrUndecided},
		"empty":                    {"application/json", ``, nil, ErrUndecided},
		"the last of two counts":   {"application/json", `{"a":2,"a":1}`, nil, nil},
		"nested without end":       {"application/json", `{"a":1,"b":` + strings.Repeat("[", 20_000), nil, ErrUndecided},
		"as large as may be":       {"application/json", `{"a":1,"b":"` + strings.Repeat("x", MaxData-14) + `"}`, nil, nil},
		"larger than filters look": {"application/json", `{"a":1,"b":"` + strings.Repeat("x", MaxData-13) + `"}`, nil, ErrUndecided},
	} {
		got, err := f.Match(NewEvent(&delivery.Event{ContentType: test.contentType, Body: []byte(test.body)}, test.data))
		require.ErrorIs(t, err, test.wantErr, name)
		require.True(t, got, name)
	}
	all, err := Compile(`type == "a"`)
	require.NoError(t, err)
	got, err := all.Match(NewEvent(&delivery.Event{Type: "a", Body: []byte("\xff")}, nil))
	require.NoError(t, err, "who does not ask for data need not care")
	require.True(t, got)
}

func TestEvent_IsDecodedOnceAndOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"a":1}`)
	event := NewEvent(&delivery.Event{Type: "x"}, raw)
	for _, source := range []string{`type == "y" && data.a == 1`, `type == "x"`} {
		f, err := Compile(source)
		require.NoError(t, err)
		_, err = f.Match(event)
		require.NoError(t, err)
		require.False(t, event.isDecoded, source)
	}
	f, err := Compile("data.a == 1")
	require.NoError(t, err)
	got, err := f.Match(event)
	require.NoError(t, err)
	require.True(t, got)
	copy(raw, `{"a":2}`) // whoever decodes again sees this
	got, err = f.Match(event)
	require.NoError(t, err)
	require.True(t, got)
}

// Errors may be logged, and what is in an event may not.
func TestMatch_ErrorsRepeatNothingOfTheEvent(t *testing.T) {
	t.Parallel()
	for _, source := range []string{`data[data.id] == 1`, `int(data.id) == 1`, `data.items[data.id] == 1`, `timestamp(data.id) < occurred_at`} {
		f, err := Compile(source)
		require.NoError(t, err)
		_, err = f.Match(orderEvent())
		require.Equal(t, ErrUndecided, err, source)
	}
}

// Every integer of 64 bits is compared as it was written, and with doubles by
// value.
func TestMatch_NumbersCompareExactly(t *testing.T) {
	t.Parallel()
	filters := make(map[string]*Filter)
	for _, operator := range []string{"<", "==", ">"} {
		f, err := Compile("data.a " + operator + " data.b")
		require.NoError(t, err)
		filters[operator] = f
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawInteger(t, "a"), drawInteger(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = near(a, int64(rapid.IntRange(-1, 1).Draw(t, "by")))
		}
		event := NewEvent(&delivery.Event{}, fmt.Appendf(nil, `{"a":%s,"b":%s}`, a, b))
		want := map[int]string{-1: "<", 0: "==", 1: ">"}[compareDigits(a, b)]
		for operator, f := range filters {
			got, err := f.Match(event)
			if err != nil || got != (operator == want) {
				t.Fatalf("%s %s %s: %v, %v", a, operator, b, got, err)
			}
		}
	})
}

func drawInteger(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, label+" is signed") {
		return strconv.FormatInt(rapid.Int64().Draw(t, label), 10)
	}
	return strconv.FormatUint(rapid.Uint64Min(1<<63).Draw(t, label), 10)
}

// near is the integer next to one, unless that is out of range.
func near(digits string, by int64) string {
	if signed, err := strconv.ParseInt(digits, 10, 64); err == nil {
		if by > 0 && signed == math.MaxInt64 || by < 0 && signed == math.MinInt64 {
			return digits
		}
		return strconv.FormatInt(signed+by, 10)
	}
	unsigned, _ := strconv.ParseUint(digits, 10, 64)
	if by > 0 && unsigned == math.MaxUint64 {
		return digits
	}
	return strconv.FormatUint(unsigned+uint64(by), 10)
}

// compareDigits compares integers as they are written.
func compareDigits(a, b string) int {
	aNegative, bNegative := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	switch {
	case aNegative && !bNegative:
		return -1
	case !aNegative && bNegative:
		return 1
	case aNegative:
		return compareDigits(b[1:], a[1:])
	case len(a) != len(b):
		return map[bool]int{true: -1, false: 1}[len(a) < len(b)]
	default:
		return strings.Compare(a, b)
	}
}

func TestFilter_IsForAllAtOnce(t *testing.T) {
	t.Parallel()
	f, err := Compile(`data.id.matches("^o") && data.items.exists(i, i.sku == "B") && data.total > 10`)
	require.NoError(t, err)
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for range 200 {
				if got, err := f.Match(orderEvent()); err != nil || !got {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	crowd.Wait()
}
