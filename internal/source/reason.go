package source

// Reason says which rule decided. Its text is stable.
type Reason string

// Why a request was accepted.
const (
	Verified  Reason = "verified"
	Handshake Reason = "handshake"
)

// What is missing or cannot be read.
const (
	HeaderMissing      Reason = "header_missing"
	FieldMissing       Reason = "field_missing"
	OtherHeader        Reason = "other_header"
	HeaderTwice        Reason = "header_twice"
	HeaderTooLong      Reason = "header_too_long"
	SignatureMalformed Reason = "signature_malformed"
	TimestampMalformed Reason = "timestamp_malformed"
	AlgorithmRefused   Reason = "algorithm_refused"
	BodyMalformed      Reason = "body_malformed"
	BodyAmbiguous      Reason = "body_ambiguous"
	BodyNotCovered     Reason = "body_not_covered"
	URLMalformed       Reason = "url_malformed"
	HandshakeMalformed Reason = "handshake_malformed"
	NotConfigured      Reason = "not_configured"
)

// How far the signed time is off.
const (
	TooOld        Reason = "too_old"
	FromTheFuture Reason = "from_the_future"
)

// Why nothing matched.
const (
	NoSecret             Reason = "no_secret"
	SecretUnusable       Reason = "secret_unusable"
	WrongSecret          Reason = "wrong_secret"
	WrongToken           Reason = "wrong_token"
	SecretHasSpace       Reason = "secret_has_space"
	SecretOtherEncoding  Reason = "secret_other_encoding"
	SignatureEncoding    Reason = "signature_encoding"
	SignatureVersion     Reason = "signature_version"
	SignatureAlgorithm   Reason = "signature_algorithm"
	BodyReencoded        Reason = "body_reencoded"
	BodyChanged          Reason = "body_changed"
	TimestampChanged     Reason = "timestamp_changed"
	URLDiffers           Reason = "url_differs"
	ItemForged           Reason = "item_forged"
	OtherTopic           Reason = "other_topic"
	AddressNotAllowed    Reason = "address_not_allowed"
	KeyNeeded            Reason = "key_needed"
	KeyUnknown           Reason = "key_unknown"
	KeyHostNotAllowed    Reason = "key_host_not_allowed"
	CertificateUnusable  Reason = "certificate_unusable"
	SignatureUndiagnosed Reason = "signature_undiagnosed"
)

// explanations says what each means and what to do, for whoever set the source
// up. Reasons lists them in this order.
var explanations = []struct {
	reason Reason
	text   string
}{
	{Verified, "the signature holds"},
	{Handshake, "the provider asks whether this address is yours: answer it"},
	{HeaderMissing, "a header that the provider sends is not there: see that nothing in between removes it, and that a secret is set at the provider"},
	{FieldMissing, "the body lacks the field that the provider signs by: see that signing is switched on there"},
	{OtherHeader, "the expected header is not there, but another one that signs is: choose the provider that the request comes from"},
	{HeaderTwice, "a header is there more than once, and which one counts would be anyone's guess: something in between adds it"},
	{HeaderTooLong, "a header is far longer than the provider ever makes it"},
	{SignatureMalformed, "the signature is not written as the provider writes it"},
	{TimestampMalformed, "the signed time cannot be read"},
	{AlgorithmRefused, "the request names an algorithm that this provider does not use"},
	{BodyMalformed, "the body is not what this provider sends"},
	{BodyAmbiguous, "the body has a member twice, so that two readers may see two different events"},
	{BodyNotCovered, "the signature does not cover this body: nothing in it may be believed"},
	{URLMalformed, "the address that the provider signed is needed, and is not there or cannot be read"},
	{HandshakeMalformed, "this looks like the provider's handshake, but lacks what is to be answered"},
	{NotConfigured, "the source's settings are not complete"},
	{TooOld, "compare the clocks, and verify when requests arrive, not after queueing them"},
	{FromTheFuture, "compare the clocks of sender and receiver"},
	{NoSecret, "there is no secret to verify with: every request is refused until one is set"},
	{SecretUnusable, "the secret is not of the form that the provider issues"},
	{WrongSecret, "no signature matches: the wrong secret, or the content changed after signing"},
	{WrongToken, "the token is not the one that is set here"},
	{SecretHasSpace, "the signature holds once the white space around the secret is gone: paste it again without"},
	{SecretOtherEncoding, "the signature holds when the secret is read in another encoding: set it exactly as the provider shows it"},
	{SignatureEncoding, "the signature is right but in the wrong encoding; the provider's own is required"},
	{SignatureVersion, "there is no signature of a version that the secrets can check"},
	{SignatureAlgorithm, "the signature holds with another algorithm than the one that is required"},
	{BodyReencoded, "the body was re-encoded after signing: pass on the bytes exactly as they arrived"},
	{BodyChanged, "the signature is genuine, but for another body: pass on the bytes exactly as they arrived"},
	{TimestampChanged, "the signature covers the body alone, or another time: the timestamp does not belong to it"},
	{URLDiffers, "the signature holds for another form of the address: set the one that the provider was given"},
	{ItemForged, "an item of the batch has a signature that does not hold, so that none of it is believed"},
	{OtherTopic, "the message is genuine for another topic than this source's"},
	{AddressNotAllowed, "the sender's address is not one of those that are allowed"},
	{KeyNeeded, "the key that signed is not known yet and must be fetched first"},
	{KeyUnknown, "the request names a key that the provider does not give for this source"},
	{KeyHostNotAllowed, "the key is said to be at an address that is not the provider's: nothing was fetched"},
	{CertificateUnusable, "the certificate is not one of the provider's that holds now"},
	{SignatureUndiagnosed, "no signature matches, and the body is too large to look for the cause: verify it with malote verify"},
}

// Reasons lists every reason, for documentation and metrics.
var Reasons = listReasons()

func listReasons() []Reason {
	list := make([]Reason, len(explanations))
	for i, e := range explanations {
		list[i] = e.reason
	}
	return list
}

// Explain says in a sentence what the reason means and what to do.
func (r Reason) Explain() string {
	for _, e := range explanations {
		if e.reason == r {
			return e.text
		}
	}
	return string(r)
}
