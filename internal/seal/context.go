package seal

// The contexts of what the database keeps sealed: the kind of value, and the id
// of the row that it is in. They are a part of the stored form, and never change.

// EndpointSecretContext is of an endpoint's signing secret, by the secret's id.
func EndpointSecretContext(secret [16]byte) []byte { return rowContext("endpoint_secret:", secret) }

// EndpointHeadersContext is of an endpoint's secret headers, by the endpoint's id.
func EndpointHeadersContext(endpoint [16]byte) []byte {
	return rowContext("endpoint_headers:", endpoint)
}

// SourceSecretContext is of a source's secret, by the secret's id.
func SourceSecretContext(secret [16]byte) []byte { return rowContext("source_secret:", secret) }

func rowContext(kind string, id [16]byte) []byte { return append([]byte(kind), id[:]...) }
