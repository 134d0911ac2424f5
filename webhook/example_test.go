package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/malotehq/malote/webhook"
)

// A complete receiver. Every webhook is handled once; a repetition is answered
// with success without calling the function again.
func ExampleHandler() {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") // from the environment, in earnest
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(webhook.Handler(verifier, func(_ context.Context, m webhook.Message) error {
		fmt.Printf("handling %s: %s\n", m.ID, m.Body)
		return nil
	}))
	defer server.Close()

	// What a sender does; here twice, as if the first answer had been lost.
	body := `{"type":"invoice.paid","data":{"amount":1990}}`
	for range 2 {
		now := time.Now()
		signature, err := webhook.Sign("evt_1", now, []byte(body), secret)
		if err != nil {
			log.Fatal(err)
		}
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL, strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set(webhook.HeaderID, "evt_1")
		request.Header.Set(webhook.HeaderTimestamp, fmt.Sprint(now.Unix()))
		request.Header.Set(webhook.HeaderSignature, signature)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		_ = response.Body.Close()
		fmt.Println(response.Status)
	}
	// Output:
	// handling evt_1: {"type":"invoice.paid","data":{"amount":1990}}
	// 200 OK
	// 200 OK
}

// Several secrets, as during a rotation: any of them may have signed.
func ExampleHandler_secrets() {
	book := func(context.Context, []byte) error { return nil } // what the receiver does

	var secrets []webhook.Secret
	for _, text := range strings.Fields(os.Getenv("WEBHOOK_SECRETS")) { // the new one and, during a rotation, the old one
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			log.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	verifier, err := webhook.NewVerifier(secrets)
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("POST /hooks", webhook.Handler(verifier, func(ctx context.Context, m webhook.Message) error {
		return book(ctx, m.Body)
	}))
}

// A receiver that is told to slow its sender down, and counts what arrives.
func ExampleHandler_options() {
	current, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		log.Fatal(err)
	}
	previous := webhook.GenerateSecret() // still accepted during the rotation
	verifier, err := webhook.NewVerifier([]webhook.Secret{current, previous}, webhook.WithTolerance(2*time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	handle := func(context.Context, webhook.Message) error {
		return &webhook.StatusError{Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second, Err: errors.New("the queue is full")}
	}
	count := func(_ context.Context, o webhook.Observation) { fmt.Println(o.Outcome, o.Status) }

	handler := webhook.Handler(verifier, handle,
		webhook.WithMaxBody(256<<10),
		webhook.WithSeen(webhook.NewMemory(10_000, 24*time.Hour)),
		webhook.WithObserver(count))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/hooks", http.NoBody))
	// Output: refused 400
}

func ExampleSign() {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		log.Fatal(err)
	}
	attempt := time.Unix(1614265330, 0) // time.Now(), in earnest
	signature, err := webhook.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", attempt, []byte(`{"test": 2432232314}`), secret)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(signature)
	// Output: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
}

func ExampleSignHex() {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		log.Fatal(err)
	}
	signature, err := webhook.SignHex(time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), secret)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(signature)
	// Output: v1=e96203c6de850e7dc1fde7489ef6140b402d3a5a64fe250cd2eef9830fac1cef
}

// When a signature does not hold, the error says why.
func ExampleVerifier_Verify() {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		log.Fatal(err)
	}
	clock := func() time.Time { return time.Unix(1614265330, 0) }
	verifier, err := webhook.NewVerifier([]webhook.Secret{secret}, webhook.WithClock(clock))
	if err != nil {
		log.Fatal(err)
	}
	header := http.Header{}
	header.Set(webhook.HeaderID, "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set(webhook.HeaderTimestamp, "1614265330")
	header.Set(webhook.HeaderSignature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

	message, err := verifier.Verify(header, []byte(`{"test": 2432232314}`))
	fmt.Println(message.ID, err)

	_, err = verifier.Verify(header, []byte(`{"test":2432232314}`)) // parsed and written again on the way
	var refused *webhook.VerifyError
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason, refused.Diagnosis)
	}
	fmt.Println(err)
	// Output:
	// msg_p5jXN8AQM9LWM0D4loKWxJek <nil>
	// bad_signature body_reencoded
	// webhook: no signature matches: the body was re-encoded after signing (white space in the JSON changed); verify the bytes exactly as they arrived
}

// A refused secret comes with what to do about it.
func ExampleParseSecret() {
	_, err := webhook.ParseSecret("whsec_aHVudGVyMg==")
	fmt.Println(err)
	fmt.Println(errors.Is(err, webhook.SecretTooShort))

	secret, err := webhook.ParseSecret("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
	fmt.Println(secret, err)
	// Output:
	// webhook: the secret has 7 bytes and needs at least 24: have a new one generated
	// true
	// whsec_[redacted] <nil>
}

func ExampleGenerateKeyPair() {
	private, public := webhook.GenerateKeyPair()
	fmt.Println(private.Kind(), private)
	fmt.Println(public.Kind(), public) // public.Reveal() is what receivers get
	// Output:
	// ed25519_private whsk_[redacted]
	// ed25519_public whpk_[redacted]
}
