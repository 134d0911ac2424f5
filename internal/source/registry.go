package source

import "slices"

// providers are all that there are, in the order of lists that people read.
var providers = []*Provider{
	adyen, adyenPlatform, asaas, awsSNS, bitbucket, calendly, clerk, discord, docusign, dropbox, github, gitlab,
	hubspot, hubspotV1, hubspotV2, intercom, jira, linear, mailgun, mercadopago, meta, msgraph, okta, paddle, pagbank,
	paypal, plaid, postmark, resend, sanity, sendgrid, shopify, slack, square, standardWebhooks, stripe, svix, twilio,
	typeform, whatsapp, zendesk, zoom, generic,
}

// Providers lists every provider by name, the generic one last.
func Providers() []*Provider { return slices.Clone(providers) }

// Lookup finds a provider by its name. generic_hmac is another name of generic,
// whose rule is HMAC unless it is set otherwise.
func Lookup(name string) (*Provider, bool) {
	if name == "generic_hmac" {
		return generic, true
	}
	at := slices.IndexFunc(providers, func(p *Provider) bool { return p.Name == name })
	if at < 0 {
		return nil, false
	}
	return providers[at], true
}
