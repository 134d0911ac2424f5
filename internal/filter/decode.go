package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

var errNoData = errors.New("there is no JSON value to look into")

// decode reads one JSON value into the maps, lists and scalars that CEL knows.
func decode(raw []byte) (any, error) {
	if raw == nil || len(raw) > MaxData {
		return nil, errNoData
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoData, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoData
	}
	return withNumbers(value), nil
}

// withNumbers puts numbers in the place of their digits. It is done once, ahead
// of all looks: a million digits would be read again at each.
func withNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		return number(value.String())
	case map[string]any:
		for name, member := range value {
			value[name] = withNumbers(member)
		}
	case []any:
		for i, element := range value {
			value[i] = withNumbers(element)
		}
	}
	return value
}

// number is exact for whatever 64 bits hold as an integer. All else is the
// nearest double, infinity included.
func number(digits string) any {
	if signed, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return signed
	}
	if unsigned, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return unsigned
	}
	double, _ := strconv.ParseFloat(digits, 64) // beyond the range: infinite, as the nearest
	return double
}
