package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func mailRig(t *testing.T, canMail bool) *rig {
	r := newRigWith(t, func(o *Options) { o.CanMail = canMail })
	r.tenants[delivery.OwnTenant] = Tenant{ID: delivery.OwnTenant}
	return r
}

func TestMailto_IsForAlertsAlone(t *testing.T) {
	t.Parallel()
	r := mailRig(t, true)
	const root = "/v1/webhook_endpoints"
	made := r.call("POST", root, adminKey, `{"tenant":"malote","url":"MAILTO:ops@example.com"}`).object(t, http.StatusCreated)
	require.Equal(t, "mailto:ops@example.com", made["url"])
	require.Equal(t, "email", made["policy"])
	path := root + "/" + made["id"].(string)
	changed := r.call("PATCH", path, adminKey, `{"url":"mailto:other@example.com"}`).object(t, http.StatusOK)
	require.Equal(t, "mailto:other@example.com", changed["url"])
	r.call("PATCH", path, adminKey, `{"description":"x"}`).object(t, http.StatusOK)

	for _, body := range []string{
		`{"url":"mailto:ops@example.com"}`, `{"tenant":"acme","url":"mailto:ops@example.com"}`, `{"tenant":"acme","url":"mailto:ops@example.com","policy":"email"}`,
	} {
		key := adminKey
		if body == `{"url":"mailto:ops@example.com"}` {
			key = acmeKey
		}
		r.call("POST", root, key, body).problem(t, URLNotAllowed)
	}
	r.call("PATCH", root+"/"+r.acme.Format(delivery.EndpointPrefix), acmeKey, `{"url":"mailto:ops@example.com"}`).problem(t, URLNotAllowed)
	for _, url := range []string{"mailto:", "mailto:ops", "mailto:a@b.example,c@b.example", "mailto:a@b.example?bcc=x@y.example"} {
		r.call("POST", root, adminKey, fmt.Sprintf(`{"tenant":"malote","url":%q}`, url)).problem(t, URLNotAllowed)
	}
}

// A mail is not signed: what promises a signature is not for an address.
func TestMailto_HasAPolicyThatSignsNothing(t *testing.T) {
	t.Parallel()
	r := mailRig(t, true)
	const root = "/v1/webhook_endpoints"
	for _, policy := range []string{"standard", "dracma"} {
		p := r.call("POST", root, adminKey, `{"tenant":"malote","url":"mailto:ops@example.com","policy":"`+policy+`"}`).problem(t, InvalidRequest)
		require.Equal(t, "policy", p.Errors[0].Field)
	}
	made := r.call("POST", root, adminKey, `{"tenant":"malote","url":"mailto:ops@example.com"}`).object(t, http.StatusCreated)
	path := root + "/" + made["id"].(string)
	r.call("PATCH", path, adminKey, `{"policy":"standard"}`).problem(t, InvalidRequest)
	r.call("PATCH", path, adminKey, `{"url":"https://x.example/","policy":"standard"}`).object(t, http.StatusOK)
	r.call("PATCH", path, adminKey, `{"url":"mailto:ops@example.com"}`).problem(t, InvalidRequest)

	slack := r.call("POST", root, adminKey, `{"tenant":"malote","url":"https://hooks.slack.example/T0","policy":"slack"}`).object(t, http.StatusCreated)
	require.Equal(t, "slack", slack["policy"])
	r.call("GET", "/v1/policies/slack/contract", adminKey, "").problem(t, InvalidRequest)
}

func TestMailto_NeedsAMailServer(t *testing.T) {
	t.Parallel()
	r := mailRig(t, false)
	p := r.call("POST", "/v1/webhook_endpoints", adminKey, `{"tenant":"malote","url":"mailto:ops@example.com"}`).problem(t, URLNotAllowed)
	require.Contains(t, p.Errors[0].Detail, "--smtp-url")
}

// What goes into a mail's header is an address and nothing else.
func TestTenant_AddressesAreAddresses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, address := range []string{`ops`, `Ops <ops@example.com>`, `ops@example.com\r\nBcc: x@y.example`, `\"a b\"@example.com`, `öps@example.com`, ` ops@example.com`} {
		r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"alert_emails":["`+address+`"]}`).problem(t, InvalidRequest)
		r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"technical_contact":"`+address+`"}`).problem(t, InvalidRequest)
	}
	r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"alert_emails":["ops+malote@example.com"],"technical_contact":"dev@example.com"}`).object(t, http.StatusOK)
	r.call("PATCH", "/v1/tenants/acme", acmeKey, `{"alert_emails":["a@x.de","b@x.de","c@x.de","d@x.de","e@x.de","f@x.de"]}`).problem(t, InvalidRequest)
}
