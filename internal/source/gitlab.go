package source

var gitlab = &Provider{
	Name: "gitlab", Title: "GitLab",
	Headers:   []string{"X-Gitlab-Token", "X-Gitlab-Event", "X-Gitlab-Event-UUID", "Idempotency-Key"},
	Signed:    "nothing: X-Gitlab-Token holds the secret itself",
	Secret:    "the webhook's secret token",
	Dedupe:    "Idempotency-Key, else X-Gitlab-Event-UUID and the body's hash: webhooks that one event sets off share the UUID",
	Type:      "X-Gitlab-Event",
	Handshake: "none",
	Retries:   "a 2xx within 10 s; it disables a webhook that keeps failing",
	Gotcha:    "The token proves who knows it, and says nothing about the body.",
	verify:    verifyGitLab,
}

func verifyGitLab(c *call) (Verdict, *refusal) {
	secret, refused := c.staticToken("X-Gitlab-Token")
	if refused != nil {
		return Verdict{}, refused
	}
	item := c.identified(c.Header.Get("Idempotency-Key"), c.Header.Get("X-Gitlab-Event"))
	if item.ID == "" {
		item.ID = c.Header.Get("X-Gitlab-Event-UUID")
		item.Dedupe = orElse(joined(item.ID, item.Dedupe), item.Dedupe)
	}
	return c.event(secret, item), nil
}
