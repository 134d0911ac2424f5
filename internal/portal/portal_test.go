package portal_test

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/portal"
	"github.com/malotehq/malote/internal/seal"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newKeys() *seal.Keyring { return seal.NewKeyring(seal.GenerateKey(rand.Reader)) }

func encode(sealed []byte) string { return base64.RawURLEncoding.EncodeToString(sealed) }

func aLink() portal.Link {
	return portal.Link{Tenant: "acme", Role: "support", CreatedAt: noon, ExpiresAt: noon.Add(portal.UsualTime)}
}

func TestRead_GivesWhatTheLinkPermitsUntilItsEnd(t *testing.T) {
	t.Parallel()
	keys := newKeys()
	token, err := portal.Token(keys, aLink(), rand.Reader)
	require.NoError(t, err)
	require.NotContains(t, token, "acme")
	for at, works := range map[time.Duration]bool{
		0: true, portal.UsualTime - time.Millisecond: true, portal.UsualTime: false, 24 * time.Hour: false,
		-time.Minute: true, -time.Minute - time.Millisecond: false,
	} {
		link, err := portal.Read(keys, token, noon.Add(at))
		if works {
			require.NoError(t, err, at)
			require.Equal(t, aLink(), link)
		} else {
			require.ErrorIs(t, err, portal.ErrLink, at)
		}
	}
}

func TestRead_TakesOlderKeysAndNoOthers(t *testing.T) {
	t.Parallel()
	old, current := seal.GenerateKey(rand.Reader), seal.GenerateKey(rand.Reader)
	token, err := portal.Token(seal.NewKeyring(old), aLink(), rand.Reader)
	require.NoError(t, err)
	_, err = portal.Read(seal.NewKeyring(current, old), token, noon)
	require.NoError(t, err)
	_, err = portal.Read(seal.NewKeyring(current), token, noon)
	require.ErrorIs(t, err, portal.ErrLink)
}

// Whatever one character becomes, nothing else opens.
func TestRead_RefusesEveryOtherText(t *testing.T) {
	t.Parallel()
	keys := newKeys()
	token, err := portal.Token(keys, aLink(), rand.Reader)
	require.NoError(t, err)
	for i := range token {
		for _, other := range []byte("A0.-") {
			changed := token[:i] + string(other) + token[i+1:]
			if changed == token {
				continue
			}
			_, err := portal.Read(keys, changed, noon)
			require.ErrorIs(t, err, portal.ErrLink, changed)
		}
		_, err := portal.Read(keys, token[:i], noon)
		require.ErrorIs(t, err, portal.ErrLink)
	}
	for _, text := range []string{"", ".", token + "A", " " + token, strings.ToUpper(token), token + "\n"} {
		_, err := portal.Read(keys, text, noon)
		require.ErrorIs(t, err, portal.ErrLink, text)
	}
}

// What is sealed for another purpose is no link, though it says the same.
func TestRead_RefusesWhatWasSealedForSomethingElse(t *testing.T) {
	t.Parallel()
	keys := newKeys()
	sealed, keyID := keys.Seal([]byte(`{"t":"acme","r":"admin","c":1772366400000,"e":1772370000000}`), seal.SourceSecretContext([16]byte{}), rand.Reader)
	_, err := portal.Read(keys, keyID+"."+encode(sealed), noon)
	require.ErrorIs(t, err, portal.ErrLink)
	sealed, keyID = keys.Seal([]byte(`{"t":"acme","r":"admin","c":1772366400000,"e":1772370000000}`), []byte("portal_link:1"), rand.Reader)
	_, err = portal.Read(keys, keyID+"."+encode(sealed), noon)
	require.NoError(t, err, "the same, sealed for this")
}

// Where nothing is sealed, a token would be what anybody can write.
func TestToken_NeedsAKey(t *testing.T) {
	t.Parallel()
	for _, none := range []*seal.Keyring{nil, seal.NewKeyring(seal.Key{})} {
		_, err := portal.Token(none, aLink(), rand.Reader)
		require.Error(t, err)
		_, err = portal.Read(none, "."+encode([]byte(`{"t":"acme","r":"admin","c":1772366400000,"e":1772370000000}`)), noon)
		require.ErrorIs(t, err, portal.ErrLink)
	}
}

func TestToken_RefusesALinkThatIsNotShort(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*portal.Link){
		func(l *portal.Link) { l.Tenant = "" },
		func(l *portal.Link) { l.Role = "" },
		func(l *portal.Link) { l.ExpiresAt = l.CreatedAt },
		func(l *portal.Link) { l.ExpiresAt = l.CreatedAt.Add(portal.LongestTime + time.Second) },
	} {
		link := aLink()
		change(&link)
		_, err := portal.Token(newKeys(), link, rand.Reader)
		require.Error(t, err)
	}
}

func FuzzRead(f *testing.F) {
	keys := newKeys()
	f.Add("")
	f.Add("0123456789abcdef.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		_, err := portal.Read(keys, token, noon)
		require.ErrorIs(t, err, portal.ErrLink) // nobody guesses a key
	})
}
