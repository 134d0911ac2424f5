package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
)

func TestGate_AsksOnceIn5Seconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		id := newID("acme")
		m.keys["k"] = Key{ID: id, Scope: ScopeRead, Tenant: "acme", Name: "reports"}
		g := newGate(m, nil)
		admit := func() error {
			who, err := g.admit(t.Context(), "Bearer k")
			if err == nil {
				actor := Actor{Kind: ActorKey, ID: id.Format(delivery.KeyPrefix), Name: "reports"}
				require.Equal(t, principal{scope: ScopeRead, tenant: "acme", actor: actor}, who)
			}
			return err
		}
		for range 10 {
			require.NoError(t, admit())
		}
		require.Equal(t, 1, m.keyLookups)

		m.keys["k"] = Key{Scope: ScopeRead, Tenant: "acme", RevokedAt: time.Now()}
		<-time.After(KeyCacheTime - time.Millisecond)
		require.NoError(t, admit(), "within the time, nobody asks")
		<-time.After(time.Millisecond)
		var p *Problem
		require.ErrorAs(t, admit(), &p)
		require.Equal(t, Unauthenticated, p.Code)
		require.Empty(t, g.cached)
	})
}

func TestGate_RemembersNoFailure(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g := newGate(m, nil)
	_, err := g.admit(t.Context(), "Bearer k")
	require.Error(t, err)
	m.keys["k"] = Key{Scope: ScopeAdmin}
	_, err = g.admit(t.Context(), "Bearer k")
	require.NoError(t, err, "a key works as soon as it is there")
}

func TestGate_AStoreThatIsDownIsNoWrongKey(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.broken = context.DeadlineExceeded
	hash := sha256.Sum256([]byte("fixed"))
	g := newGate(m, &hash)
	_, err := g.admit(t.Context(), "Bearer k")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	who, err := g.admit(t.Context(), "bearer  fixed ")
	require.NoError(t, err, "the fixed key needs no store")
	require.True(t, who.isAdmin())
	require.Zero(t, m.keyLookups-1)
}

func TestGate_RefusesOtherHeaders(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.keys[""] = Key{Scope: ScopeAdmin}
	g := newGate(m, nil)
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic a", "k", "Bearer " + strings.Repeat("x", maxKeyLength+1)} {
		var p *Problem
		_, err := g.admit(t.Context(), header)
		require.ErrorAs(t, err, &p)
		require.Equal(t, Unauthenticated, p.Code)
	}
	require.Zero(t, m.keyLookups)
}

func TestGate_CacheIsBoundedAndHoldsNoKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		g := newGate(m, nil)
		admit := func() {
			plain := rand.Text()
			m.keys[plain] = Key{Scope: ScopeAdmin}
			_, err := g.admit(t.Context(), "Bearer "+plain)
			require.NoError(t, err)
		}
		for range maxCachedKeys + 5 {
			admit()
		}
		require.Len(t, g.cached, maxCachedKeys)
		<-time.After(KeyCacheTime + time.Second)
		admit()
		require.Len(t, g.cached, 1, "old ones make room")
	})
}

func TestKeys_CreatedRevokedListed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.call("POST", "/v1/keys", acmeKey, `{"scope":"publish","name":"shop"}`, "Idempotency-Key", "once").object(t, http.StatusCreated)
	plain := made["key"].(string)
	require.Equal(t, "acme", made["tenant"])
	r.call("POST", "/v1/events", plain, `{"type":"a","data":1}`).object(t, http.StatusAccepted)

	again := r.call("POST", "/v1/keys", acmeKey, `{"scope":"publish","name":"shop"}`, "Idempotency-Key", "once").object(t, http.StatusOK)
	require.Equal(t, made["id"], again["id"])
	require.NotContains(t, again, "key", "nobody can see it again")
	r.call("POST", "/v1/keys", acmeKey, `{"scope":"read","name":"shop"}`, "Idempotency-Key", "once").problem(t, IdempotencyKeyReused)

	list := r.call("GET", "/v1/keys", acmeKey, "")
	require.NotContains(t, list.Body.String(), plain)
	require.Equal(t, http.StatusNoContent, r.call("DELETE", "/v1/keys/"+made["id"].(string), acmeKey, "").Code)
	require.Contains(t, r.call("GET", "/v1/keys", acmeKey, "").Body.String(), made["id"])
	require.NotContains(t, r.log.String(), plain)
}

func TestProblemOf_WhatNobodyForesawIsForTheLog(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.broken = errors.New("relation malote.lanes does not exist")
	answer := r.call("GET", "/v1/tenants", adminKey, "")
	p := answer.problem(t, Internal)
	require.NotContains(t, answer.Body.String(), "relation")
	require.NotEmpty(t, p.RequestID)
	require.Contains(t, r.log.String(), p.RequestID)
	require.Contains(t, r.log.String(), "relation malote.lanes does not exist")
	require.Contains(t, r.log.String(), "list-tenants")
}
