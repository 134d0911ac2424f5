package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An envelope is what the headers say, well-formed and in time but not yet
// verified: nothing of it may be acted on before a signature matches.
type envelope struct {
	id      string
	seconds int64
	head    []byte
	list    []signature
}

// headerNames are the three headers of one spelling.
type headerNames struct{ id, timestamp, signature string }

var (
	standardNames = headerNames{HeaderID, HeaderTimestamp, HeaderSignature}
	// svixNames are what Standard Webhooks was called before it was a standard;
	// Svix, Clerk, Resend and others still send them.
	svixNames = headerNames{"Svix-Id", "Svix-Timestamp", "Svix-Signature"}
)

// open reads and checks the headers alone, so that a request that cannot be
// accepted is refused before its body is read.
func (v *Verifier) open(header http.Header) (envelope, error) {
	names := v.names(header)
	for _, name := range []string{names.id, names.timestamp, names.signature} {
		if strings.Join(header[name], "") == "" {
			return envelope{}, &VerifyError{Reason: ReasonMissingHeader, Header: strings.ToLower(name)}
		}
	}
	id, err := single(header, names.id)
	if err != nil {
		return envelope{}, err
	}
	if !validID(id) {
		return envelope{}, malformed(names.id, ErrBadID.Error())
	}
	timestamp, err := single(header, names.timestamp)
	if err != nil {
		return envelope{}, err
	}
	seconds, err := parseSeconds(names.timestamp, timestamp)
	if err != nil {
		return envelope{}, err
	}
	list, tooMany := v.scheme.signatures(header[names.signature])
	switch {
	case tooMany:
		return envelope{}, malformed(names.signature, "it has more than "+strconv.Itoa(maxSignatures)+" signatures")
	case len(list) == 0 && v.scheme == SchemeHex:
		return envelope{}, malformed(names.signature, "it has no v1=<hex>")
	case len(list) == 0:
		return envelope{}, malformed(names.signature, "it has no v1,<base64>")
	}
	if err := v.inTime(seconds); err != nil {
		return envelope{}, err
	}
	return envelope{id: id, seconds: seconds, head: v.scheme.head(id, timestamp), list: list}, nil
}

// names chooses the spelling: the first that is complete, else the first of
// which anything is there, so that an error names the header that is missing.
func (v *Verifier) names(header http.Header) headerNames {
	if v.scheme == SchemeHex {
		return standardNames
	}
	present := func(n headerNames) (count int) {
		for _, name := range []string{n.id, n.timestamp, n.signature} {
			if header.Get(name) != "" {
				count++
			}
		}
		return count
	}
	standard, svix := present(standardNames), present(svixNames)
	if standard < 3 && (svix == 3 || standard == 0 && svix > 0) {
		return svixNames
	}
	return standardNames
}

// single refuses a header that is there twice: which one was signed, and which
// one others go by, would be anyone's guess.
func single(header http.Header, name string) (string, error) {
	if len(header[name]) != 1 {
		return "", malformed(name, "it must be there exactly once")
	}
	return header[name][0], nil
}

func parseSeconds(name, text string) (int64, error) {
	// ParseUint takes no sign; the length keeps a flood of leading zeros out.
	seconds, err := strconv.ParseUint(text, 10, 63)
	switch {
	case err != nil || len(text) > len("9223372036854775807"):
		return 0, malformed(name, "it must be whole seconds since 1970, digits only")
	case seconds >= maxTimestamp:
		return 0, malformed(name, "it must be seconds since 1970, and looks like milliseconds or less")
	}
	return int64(seconds), nil
}

// inTime compares whole seconds, as the header has no others.
func (v *Verifier) inTime(seconds int64) error {
	skew := v.now().Unix() - seconds
	allowed := int64(v.tolerance / time.Second)
	switch {
	case skew > allowed:
		return &VerifyError{Reason: ReasonStale, SkewSeconds: skew, Tolerance: v.tolerance}
	case skew < -allowed:
		return &VerifyError{Reason: ReasonFuture, SkewSeconds: skew, Tolerance: v.tolerance}
	}
	return nil
}

func malformed(name, detail string) error {
	return &VerifyError{Reason: ReasonMalformed, Header: strings.ToLower(name), Detail: detail}
}
