package sender

import (
	"sync"

	"github.com/malotehq/malote/webhook"
)

// mostKeys bounds the keyring; a full one starts anew.
const mostKeys = 8192

// keyring keeps secrets in the form that signs: reading one for every attempt
// costs as much as signing with it. Goroutines share it.
type keyring struct {
	mu   sync.RWMutex
	keys map[string]webhook.Secret // by the text that was read
}

func newKeyring() *keyring { return &keyring{keys: map[string]webhook.Secret{}} }

func (k *keyring) key(text string) (webhook.Secret, error) {
	k.mu.RLock()
	key, known := k.keys[text]
	k.mu.RUnlock()
	if known {
		return key, nil
	}
	key, err := webhook.ParseSecret(text)
	if err != nil {
		return webhook.Secret{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.keys) >= mostKeys {
		clear(k.keys)
	}
	k.keys[text] = key
	return key, nil
}
