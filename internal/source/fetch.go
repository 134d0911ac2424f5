package source

// FetchPurpose says what a fetch is for.
type FetchPurpose string

// What is fetched.
const (
	FetchCertificate  FetchPurpose = "certificate"  // a PEM certificate; then verify again
	FetchKey          FetchPurpose = "key"          // a JSON web key; then verify again
	FetchSubscription FetchPurpose = "subscription" // any 2xx confirms; the content does not matter
)

// A Fetch is one request that the caller makes, through the guard that all
// calls to strangers go through. URL is https on Host, a host of the provider's
// own and on its default port; redirects must not be followed.
type Fetch struct {
	Purpose FetchPurpose
	Method  string
	URL     string
	Host    string
	// Body is JSON to send, which may hold credentials: never log it.
	Body []byte
	// Key names the content in [Options.Fetched] and in caches. What it names
	// never changes, but a certificate ends.
	Key string
	// MaxBytes bounds the answer.
	MaxBytes int64
}

const maxFetched = 64 << 10
