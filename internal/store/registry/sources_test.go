package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store"
)

func TestSource_IsWhatItWasMadeAs(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	spec := NewSource{
		Tenant: "acme", Name: "Payments", Provider: "stripe", Description: "the shop's",
		Settings: json.RawMessage("{ \"b\": 12345678901234567890,\n\"a\": \"\\u0000\" }"),
		Secrets: []SourceSecret{
			{Name: "current", Role: RoleSignature, Value: "hush 1"}, {Role: RoleHandshake, Value: "hush 1"}, {Name: "older", Value: "hush 2"},
		},
	}
	made, created, err := r.CreateSource(t.Context(), spec, Once{})
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, delivery.ShardOf("acme"), made.ID.Shard())
	require.WithinDuration(t, time.Now(), made.CreatedAt, time.Minute)
	require.Len(t, made.Secrets, 3)
	require.Equal(t, "hush 1", made.Secrets[0].Value, "whoever made it sees it, once")
	require.Equal(t, []string{"current", made.Secrets[1].ID.Format(delivery.SecretPrefix), "older"}, made.SecretNames)

	found, err := r.Source(t.Context(), OfTenant("acme"), made.ID)
	require.NoError(t, err)
	made.Secrets = nil
	require.Equal(t, made, found)
	require.Equal(t, string(spec.Settings), string(found.Settings), "byte for byte")
	found.ID, found.CreatedAt, found.UpdatedAt, found.SecretNames = delivery.ID{}, time.Time{}, time.Time{}, nil
	require.Equal(t, Source{
		Tenant: "acme", Name: "Payments", Provider: "stripe", Description: "the shop's", Settings: spec.Settings,
	}, found)

	bare, _, err := r.CreateSource(t.Context(), NewSource{Tenant: "acme", Provider: "okta"}, Once{})
	require.NoError(t, err)
	require.Equal(t, "{}", string(bare.Settings))
	require.Empty(t, bare.SecretNames)
}

func TestSource_RefusesOtherSettings(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	filled := func(n int) string { return `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}` }
	for name, c := range map[string]struct {
		settings string
		want     error
	}{
		"empty": {"", nil}, "spaces": {" \n{} ", nil}, "as long as may be": {filled(MaxSettings), nil},
		"deep":     {`{"a":` + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + "}", nil},
		"too long": {filled(MaxSettings + 1), ErrInvalidSettings}, "an array": {"[]", ErrInvalidSettings},
		"null": {"null", ErrInvalidSettings}, "no JSON": {"{a:1}", ErrInvalidSettings}, "two": {"{}{}", ErrInvalidSettings},
		"spaces only": {"  ", ErrInvalidSettings}, "not text": {"{\"a\":\"\xff\"}", ErrInvalidText},
	} {
		_, _, err := r.CreateSource(t.Context(), NewSource{Tenant: "acme", Settings: json.RawMessage(c.settings)}, Once{})
		require.ErrorIs(t, err, c.want, name)
		_, err = r.UpdateSource(t.Context(), AnyTenant, source.ID, SourceChange{
			Settings: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(c.settings), nil },
		})
		require.ErrorIs(t, err, c.want, name)
	}
	_, _, err := r.CreateSource(t.Context(), NewSource{Tenant: "globex"}, Once{})
	require.ErrorIs(t, err, ErrNoTenant)
	_, _, err = r.CreateSource(t.Context(), NewSource{Tenant: "acme", Name: "\x00"}, Once{})
	require.ErrorIs(t, err, ErrInvalidText)
}

func TestUpdateSource_ChangesWhatItNames(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	broken := errors.New("no such option")
	for _, step := range []struct {
		change SourceChange
		want   func(*Source)
		fails  error
	}{
		{SourceChange{}, func(*Source) {}, nil},
		{SourceChange{Name: ptr("other")}, func(s *Source) { s.Name = "other" }, nil},
		{SourceChange{Description: ptr("text")}, func(s *Source) { s.Description = "text" }, nil},
		{SourceChange{Settings: func(present json.RawMessage) (json.RawMessage, error) {
			if string(present) != "{}" {
				return nil, fmt.Errorf("the present ones are %s", present)
			}
			return json.RawMessage(`{"a": 1}`), nil
		}}, func(s *Source) { s.Settings = json.RawMessage(`{"a": 1}`) }, nil},
		{
			SourceChange{Name: ptr("not that"), Settings: func(json.RawMessage) (json.RawMessage, error) { return nil, broken }},
			nil, broken,
		},
		{SourceChange{Description: ptr("")}, func(s *Source) { s.Description = "" }, nil},
	} {
		before, err := r.Source(t.Context(), AnyTenant, source.ID)
		require.NoError(t, err)
		version := sourceVersion(t, r, source.ID)
		changed, err := r.UpdateSource(t.Context(), OfTenant("acme"), source.ID, step.change)
		if step.fails != nil {
			require.ErrorIs(t, err, step.fails)
			require.Equal(t, version, sourceVersion(t, r, source.ID))
			after, err := r.Source(t.Context(), AnyTenant, source.ID)
			require.NoError(t, err)
			require.Equal(t, before, after)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, version+1, sourceVersion(t, r, source.ID))
		require.True(t, changed.UpdatedAt.After(before.UpdatedAt))
		want := before
		want.UpdatedAt = changed.UpdatedAt
		step.want(&want)
		require.Equal(t, want, changed)
	}
}

// A tenant may be called what a source's id is: what its requests are remembered
// by must not be mistaken for what a provider sent.
func TestSource_ItsKeysAreNotItsProviders(t *testing.T) {
	t.Parallel()
	r := open(t)
	id := r.newID(7)
	require.NotEqual(t, store.SourceScope(id), sourceOfTenant(7, id.String()).name)
}

// Whoever changes a part of the settings loses nobody else's change.
func TestUpdateSource_OneAfterAnother(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	source := addSource(t, first, "acme")
	for _, err := range atOnce(12, func(i int) error {
		_, err := []*Registry{first, second}[i%2].UpdateSource(t.Context(), AnyTenant, source.ID, SourceChange{
			Settings: func(present json.RawMessage) (json.RawMessage, error) {
				options := map[string]int{}
				if err := json.Unmarshal(present, &options); err != nil {
					return nil, err
				}
				options[fmt.Sprint(i)] = i
				return json.Marshal(options)
			},
		})
		return err
	}) {
		require.NoError(t, err)
	}
	found, err := first.Source(t.Context(), AnyTenant, source.ID)
	require.NoError(t, err)
	options := map[string]int{}
	require.NoError(t, json.Unmarshal(found.Settings, &options))
	require.Len(t, options, 12)
	require.EqualValues(t, 13, sourceVersion(t, first, source.ID))
}

func TestSource_PauseAndResume(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source := addSource(t, r, "acme")
	require.Zero(t, source.PausedAt)
	paused, err := r.PauseSource(t.Context(), OfTenant("acme"), source.ID)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), paused.PausedAt, time.Minute)
	again, err := r.PauseSource(t.Context(), OfTenant("acme"), source.ID)
	require.NoError(t, err)
	require.Equal(t, paused, again, "it stays paused since when it was")
	version := sourceVersion(t, r, source.ID)
	for range 2 {
		resumed, err := r.ResumeSource(t.Context(), OfTenant("acme"), source.ID)
		require.NoError(t, err)
		require.Zero(t, resumed.PausedAt)
	}
	require.Greater(t, sourceVersion(t, r, source.ID), version)
}

func TestDeleteSource_ForgetsItsSecrets(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	source, other := addSource(t, r, "acme"), addSource(t, r, "acme")
	for _, s := range []Source{source, other} {
		execute(t, r, `INSERT INTO malote.gap_repairs (shard, source_id) VALUES ($1, $2)`, s.ID.Shard(), s.ID)
	}
	require.NoError(t, r.DeleteSource(t.Context(), OfTenant("acme"), source.ID))
	require.Equal(t, other.ID, one[delivery.ID](t, r, `SELECT source_id FROM malote.source_secrets`))
	require.Equal(t, other.ID, one[delivery.ID](t, r, `SELECT source_id FROM malote.gap_repairs`))
	require.True(t, one[bool](t, r, `SELECT deleted_at IS NOT NULL FROM malote.sources WHERE id = $1`, source.ID), "events still name it")
	requireGone(t, r, AnyTenant, source)

	require.NoError(t, r.DeleteSource(t.Context(), OfTenant("acme"), other.ID))
	execute(t, r, `INSERT INTO malote.gap_repairs (shard, source_id) VALUES ($1, $2)`, other.ID.Shard(), other.ID)
	require.NoError(t, r.DeleteTenant(t.Context(), "acme"))
	require.Zero(t, one[int](t, r, `SELECT count(*) FROM malote.gap_repairs`))
}

func TestSource_IsItsTenantsOnly(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	addTenant(t, r, "globex")
	source := addSource(t, r, "acme")
	version := sourceVersion(t, r, source.ID)
	requireGone(t, r, OfTenant("globex"), source)
	requireGone(t, r, Owner{}, source)
	require.Equal(t, version, sourceVersion(t, r, source.ID))
	found, err := r.Source(t.Context(), OfTenant("acme"), source.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"first"}, found.SecretNames)
}

// requireGone: for the owner there is no such source, whatever is done to it.
func requireGone(t *testing.T, r *Registry, owner Owner, source Source) {
	t.Helper()
	ctx, secret := t.Context(), SourceSecret{Name: "x", Value: "x"}
	for name, call := range map[string]func() error{
		"read": func() error { _, err := r.Source(ctx, owner, source.ID); return err },
		"change": func() error {
			_, err := r.UpdateSource(ctx, owner, source.ID, SourceChange{Name: ptr("x")})
			return err
		},
		"pause":  func() error { _, err := r.PauseSource(ctx, owner, source.ID); return err },
		"resume": func() error { _, err := r.ResumeSource(ctx, owner, source.ID); return err },
		"delete": func() error { return r.DeleteSource(ctx, owner, source.ID) },
		"add": func() error {
			_, _, err := r.AddSourceSecret(ctx, owner, source.ID, secret, once("k", "r"))
			return err
		},
		"rotate": func() error { _, _, err := r.RotateSourceSecret(ctx, owner, source.ID, secret, 0, Once{}); return err },
		"list":   func() error { _, err := r.SourceSecrets(ctx, owner, source.ID); return err },
		"revoke": func() error { return r.RevokeSourceSecret(ctx, owner, source.ID, source.Secrets[0].ID) },
	} {
		require.ErrorIs(t, call(), ErrNoSource, name)
	}
	sources, more, err := r.Sources(ctx, owner, Page{Limit: 10})
	require.NoError(t, err)
	require.False(t, more)
	for _, listed := range sources {
		require.NotEqual(t, source.ID, listed.ID)
	}
}

func TestSources_PageByPage(t *testing.T) {
	t.Parallel()
	r := open(t)
	var acmes, all []Source
	for _, tenant := range []string{"acme", "globex"} {
		addTenant(t, r, tenant)
	}
	for i := range 9 {
		tenant := []string{"acme", "globex"}[i%3%2]
		source := addSource(t, r, tenant)
		if i == 4 {
			require.NoError(t, r.DeleteSource(t.Context(), AnyTenant, source.ID))
			continue
		}
		source.Secrets = nil
		all = append(all, source)
		if tenant == "acme" {
			acmes = append(acmes, source)
		}
	}
	for owner, want := range map[Owner][]Source{AnyTenant: all, OfTenant("acme"): acmes, OfTenant("nobody"): nil} {
		for _, limit := range []int{1, 3, 50} {
			var listed []Source
			page := Page{Limit: limit}
			for more := true; more; {
				var found []Source
				var err error
				found, more, err = r.Sources(t.Context(), owner, page)
				require.NoError(t, err)
				listed = append(listed, found...)
				if more {
					page.After = found[len(found)-1].ID
				}
			}
			require.Len(t, listed, len(want))
			for i := range want {
				require.Equal(t, want[i], listed[i])
			}
		}
	}
}
