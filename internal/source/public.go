package source

// cheapOriginals is how many bodies are tried at a public door when a signature
// of a public key fails: each costs as much as verifying it.
const cheapOriginals = 7

// matchPublic finds the secret, a public key, whose owner signed the body.
func matchPublic[K any](c *call, read func(string) (K, error), holds func(key K, body []byte) bool) (string, *refusal) {
	live := usable(c.secrets, RoleHandshake)
	if len(live) == 0 {
		return "", bad(NoSecret, "")
	}
	var keys []K
	var unusable error
	for _, secret := range live {
		key, err := read(secret.Value)
		if err != nil {
			unusable = err
			continue
		}
		keys = append(keys, key)
		if holds(key, c.Body) {
			return secret.Name, nil
		}
	}
	if len(keys) == 0 {
		return "", bad(SecretUnusable, unusable.Error())
	}
	return "", c.diagnosePublic(func(body []byte) bool {
		for _, key := range keys {
			if holds(key, body) {
				return true
			}
		}
		return false
	})
}

// diagnosePublic looks for another body that the signature holds for.
func (c *call) diagnosePublic(holds func(body []byte) bool) *refusal {
	if len(c.Body) > maxDiagnosed && !c.options.Thorough {
		return bad(SignatureUndiagnosed, "")
	}
	tried := 0
	for what, original := range originals(c.Body) {
		if tried++; tried > cheapOriginals && !c.options.Thorough {
			break
		}
		if holds(original) {
			return bad(BodyReencoded, what)
		}
	}
	return bad(WrongSecret, "")
}
