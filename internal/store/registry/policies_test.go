package registry

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPolicy_NeverChanges(t *testing.T) {
	t.Parallel()
	r := open(t)
	made, created, err := r.CreatePolicy(t.Context(), "mine", "name: mine\n# é", Once{})
	require.NoError(t, err)
	require.True(t, created)
	again, created, err := r.CreatePolicy(t.Context(), "mine", "name: mine\n# é", Once{})
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, made, again)
	_, _, err = r.CreatePolicy(t.Context(), "mine", "name: mine\n# e", Once{})
	require.ErrorIs(t, err, ErrPolicyExists)
	_, _, err = r.CreatePolicy(t.Context(), "standard", "name: standard", Once{})
	require.ErrorIs(t, err, ErrPolicyExists, "a preset's name is taken")

	_, _, err = r.CreatePolicy(t.Context(), "B", "x", Once{})
	require.NoError(t, err)
	read, err := r.Policy(t.Context(), "mine")
	require.NoError(t, err)
	require.Equal(t, made, read)
	list, err := r.Policies(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"B", "mine"}, []string{list[0].Name, list[1].Name})
	_, err = r.Policy(t.Context(), "standard")
	require.ErrorIs(t, err, ErrNoPolicy)
}

func TestPolicy_DeletedOnlyWhenUnused(t *testing.T) {
	t.Parallel()
	r := open(t)
	addTenant(t, r, "acme")
	require.ErrorIs(t, r.DeletePolicy(t.Context(), "mine"), ErrNoPolicy)
	_, _, err := r.CreatePolicy(t.Context(), "mine", "x", Once{})
	require.NoError(t, err)
	endpoint := addEndpoint(t, r, "acme")
	mine := Defaults{Policy: "mine", MaxInFlight: 1, LeaseSeconds: 30}
	_, err = r.UpdateEndpoint(t.Context(), AnyTenant, endpoint.ID, EndpointPatch{Policy: ptr("mine")}, mine)
	require.NoError(t, err)
	require.ErrorIs(t, r.DeletePolicy(t.Context(), "mine"), ErrPolicyInUse)

	require.NoError(t, r.DeleteEndpoint(t.Context(), AnyTenant, endpoint.ID))
	require.NoError(t, r.DeletePolicy(t.Context(), "mine"))
	_, err = r.Policy(t.Context(), "mine")
	require.ErrorIs(t, err, ErrNoPolicy)
}

func TestPolicy_DeletedAgainstWhoeverUsesIt(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	addTenant(t, first, "acme")
	for round := range 10 {
		name := fmt.Sprintf("policy-%d", round)
		_, _, err := first.CreatePolicy(t.Context(), name, "x", Once{})
		require.NoError(t, err)
		errs := atOnce(2, func(i int) error {
			if i == 0 {
				return first.DeletePolicy(t.Context(), name)
			}
			endpoint := newEndpoint("acme")
			endpoint.Policy = name
			_, _, err := second.CreateEndpoint(t.Context(), endpoint, Defaults{Policy: name, MaxInFlight: 1, LeaseSeconds: 9}, Once{})
			return err
		})
		if errs[0] == nil {
			require.ErrorIs(t, errs[1], ErrNoPolicy)
		} else {
			require.ErrorIs(t, errs[0], ErrPolicyInUse)
			require.NoError(t, errs[1])
		}
	}
}

func TestPolicy_CreatedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	first, second := openTwice(t)
	created := 0
	for _, err := range atOnce(8, func(i int) error {
		_, made, err := []*Registry{first, second}[i%2].CreatePolicy(t.Context(), "mine", fmt.Sprint(i/4), Once{})
		if err == nil && !made {
			return errSame
		}
		return err
	}) {
		switch err {
		case nil:
			created++
		case errSame:
		default:
			require.ErrorIs(t, err, ErrPolicyExists)
		}
	}
	require.Equal(t, 1, created)
}

var errSame = fmt.Errorf("the same policy was there already")
