package sender

import (
	"time"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/policy"
	"github.com/malotehq/malote/webhook"
)

// sign makes the value of the signature header with every secret that is live
// now, in the endpoint's order: the current one first (S04, S05, D14). Without
// any there is no value, and nothing is sent (D13), unless the policy is for those
// who verify nothing.
func (k *keyring) sign(scheme policy.Scheme, id string, now time.Time, body []byte, secrets []delivery.Secret) (string, *failure) {
	if scheme == policy.Unsigned {
		return "", nil
	}
	live := make([]webhook.Secret, 0, len(secrets))
	for _, secret := range secrets {
		if !secret.LiveAt(now) {
			continue
		}
		key, err := k.key(secret.Value)
		if err == nil && canSign(scheme, key) {
			live = append(live, key)
		}
	}
	if len(live) == 0 {
		return "", &failure{code: delivery.NoSecret, text: delivery.NoSecret.Explain()}
	}
	value, err := signature(scheme, id, now, body, live)
	if err != nil {
		return "", &failure{code: delivery.NoSecret, text: "The request could not be signed, and nothing is ever sent unsigned."}
	}
	return value, nil
}

// canSign leaves out public keys, and ed25519 keys where the scheme has no
// signature for them: the endpoint's other secrets still sign.
func canSign(scheme policy.Scheme, key webhook.Secret) bool {
	switch key.Kind() {
	case webhook.KindSymmetric:
		return true
	case webhook.KindPrivate:
		return scheme != policy.TimestampHex
	default:
		return false
	}
}

func signature(scheme policy.Scheme, id string, now time.Time, body []byte, keys []webhook.Secret) (string, error) {
	if scheme == policy.TimestampHex {
		return webhook.SignHex(now, body, keys...)
	}
	return webhook.Sign(id, now, body, keys...)
}
