package delivery

// A W3C traceparent of version 00: version, trace id, span id and flags in hex.
const traceParentLength = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

// ValidTraceParent says whether text is a traceparent of version 00 as W3C Trace
// Context section 3.2 defines it, neither of whose ids is all zero. Versions to
// come are not passed on: nobody knows what they may hold.
func ValidTraceParent(text string) bool {
	if len(text) != traceParentLength || text[:3] != "00-" || text[35] != '-' || text[52] != '-' {
		return false
	}
	return isNonZeroHex(text[3:35]) && isNonZeroHex(text[36:52]) && isHex(text[53:])
}

func isHex(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isNonZeroHex(text string) bool {
	for _, c := range []byte(text) {
		if c != '0' {
			return isHex(text)
		}
	}
	return false
}
