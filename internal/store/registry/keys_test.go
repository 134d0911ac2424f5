package registry

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestKey_CreateAndFind(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	for _, c := range []struct {
		scope  Scope
		tenant string
	}{{ScopeAdmin, ""}, {ScopeTenant, "acme"}, {ScopePublish, "acme"}, {ScopeRead, "acme"}} {
		plain, key, err := r.CreateKey(t.Context(), c.scope, c.tenant, "mine", Once{})
		require.NoError(t, err)
		require.Regexp(t, `^mlt_[0-7][0-9a-hjkmnp-tv-z]{25}_[A-Za-z0-9_-]{43}$`, plain)
		require.Equal(t, Key{ID: key.ID, Tenant: c.tenant, Scope: c.scope, Name: "mine", CreatedAt: key.CreatedAt}, key)

		found, err := r.FindKey(t.Context(), plain)
		require.NoError(t, err)
		require.Equal(t, key, found)
	}
	_, _, err := r.CreateKey(t.Context(), ScopeRead, "nobody", "", Once{})
	require.ErrorIs(t, err, ErrNoTenant)
	stored := one[string](t, r, `SELECT string_agg(k::text, ' ') FROM malote.api_keys AS k`)
	require.NotContains(t, stored, "mlt_")
}

func TestFindKey_WhatDoesNotWork(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	plain, key, err := r.CreateKey(t.Context(), ScopeTenant, "acme", "", Once{})
	require.NoError(t, err)
	revoked, revokedKey, err := r.CreateKey(t.Context(), ScopeTenant, "acme", "", Once{})
	require.NoError(t, err)
	_, err = r.RevokeKey(t.Context(), OfTenant("acme"), revokedKey.ID)
	require.NoError(t, err)

	flipped := []byte(plain)
	flipped[40] ^= 1
	elsewhere := newPlainKey(delivery.NewID(key.ID.Shard()^1, key.ID.Time(), rand.Reader), rand.Reader)
	for name, wrong := range map[string]string{
		"empty": "", "cut": plain[:len(plain)-1], "longer": plain + "x", "another secret": string(flipped),
		"another's secret": plain[:idEnd] + revoked[idEnd:], "unknown id": elsewhere, "revoked": revoked,
		"upper case": strings.ToUpper(plain), "another prefix": "key" + plain[3:], "no underscore": strings.Replace(plain[4:], "_", "x", 1),
	} {
		_, err := r.FindKey(t.Context(), wrong)
		require.ErrorIs(t, err, ErrNoKey, name)
	}
	_, err = r.FindKey(t.Context(), plain)
	require.NoError(t, err)
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	_, key, err := r.CreateKey(t.Context(), ScopeTenant, "acme", "", Once{})
	require.NoError(t, err)
	_, err = r.RevokeKey(t.Context(), OfTenant("other"), key.ID)
	require.ErrorIs(t, err, ErrNoKey)
	_, err = r.RevokeKey(t.Context(), Owner{}, key.ID)
	require.ErrorIs(t, err, ErrNoKey)

	_, admins, err := r.CreateKey(t.Context(), ScopeAdmin, "", "", Once{})
	require.NoError(t, err)
	_, err = r.RevokeKey(t.Context(), OfTenant(""), admins.ID)
	require.ErrorIs(t, err, ErrNoKey, "nobody is not the administrator")

	was, err := r.RevokeKey(t.Context(), OfTenant("acme"), key.ID)
	require.NoError(t, err)
	require.Equal(t, key.ID, was.ID)
	require.Equal(t, key.Tenant, was.Tenant)
	keys, _, err := r.Keys(t.Context(), AnyTenant, Page{Limit: 10})
	require.NoError(t, err)
	require.NotZero(t, keys[0].RevokedAt)
	_, err = r.RevokeKey(t.Context(), AnyTenant, key.ID)
	require.NoError(t, err, "again changes nothing")
	again, _, err := r.Keys(t.Context(), AnyTenant, Page{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, keys, again)
}

func TestKeys_PagesByOwner(t *testing.T) {
	t.Parallel()
	r := open(t)
	var acme, all []delivery.ID
	for _, tenant := range []string{"", "acme", "globex"} {
		scope := ScopeAdmin
		if tenant != "" {
			scope = ScopeRead
			addTenant(t, r, tenant)
		}
		for range 3 {
			_, key, err := r.CreateKey(t.Context(), scope, tenant, "", Once{})
			require.NoError(t, err)
			all = append(all, key.ID)
			if tenant == "acme" {
				acme = append(acme, key.ID)
			}
		}
	}
	require.Equal(t, all, walkKeys(t, r, AnyTenant))
	require.Equal(t, acme, walkKeys(t, r, OfTenant("acme")))
	require.Empty(t, walkKeys(t, r, Owner{}))
}

func walkKeys(t *testing.T, r *Registry, owner Owner) (ids []delivery.ID) {
	t.Helper()
	page := Page{Limit: 2}
	for more := true; more; {
		var keys []Key
		var err error
		keys, more, err = r.Keys(t.Context(), owner, page)
		require.NoError(t, err)
		for _, key := range keys {
			ids = append(ids, key.ID)
			page.After = key.ID
		}
	}
	return ids
}

func TestEnsureAdminKey_OneOfManyProcesses(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	type result struct {
		plain   string
		created bool
		err     error
	}
	var made []string
	for _, got := range atOnce(8, func(i int) (got result) {
		r := []*Registry{first, second}[i%2]
		got.plain, got.created, got.err = r.EnsureAdminKey(t.Context())
		return got
	}) {
		require.NoError(t, got.err)
		require.Equal(t, got.created, got.plain != "")
		if got.created {
			made = append(made, got.plain)
		}
	}
	require.Len(t, made, 1)
	key, err := first.FindKey(t.Context(), made[0])
	require.NoError(t, err)
	require.Equal(t, ScopeAdmin, key.Scope)

	_, err = first.RevokeKey(t.Context(), AnyTenant, key.ID)
	require.NoError(t, err)
	_, created, err := first.EnsureAdminKey(t.Context())
	require.NoError(t, err)
	require.True(t, created, "without a key that works nobody could administer any more")
}

func FuzzParsePlainKey(f *testing.F) {
	id := delivery.NewID(513, time.Unix(1_700_000_000, 0), bytes.NewReader(make([]byte, 8)))
	good := newPlainKey(id, bytes.NewReader(make([]byte, secretBytes)))
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(strings.Replace(good, "_", "-", 2))
	f.Add("mlt_" + strings.Repeat("z", 26) + "_" + strings.Repeat("A", 43))
	f.Fuzz(func(t *testing.T, plain string) {
		id, err := parsePlainKey(plain)
		if err != nil {
			return
		}
		rebuilt := newPlainKey(id, bytes.NewReader(make([]byte, secretBytes)))
		require.Equal(t, plain[:idEnd+1], rebuilt[:idEnd+1])
		require.Equal(t, base64.RawURLEncoding.EncodeToString(make([]byte, secretBytes)), rebuilt[idEnd+1:])
	})
}
