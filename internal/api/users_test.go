package api

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// invite makes a user, and gives the answer.
func (r *rig) invite(t testing.TB, name, role string) map[string]any {
	t.Helper()
	return r.call("POST", "/v1/users", adminKey, `{"name":"`+name+`","role":"`+role+`"}`).object(t, http.StatusCreated)
}

func TestUsers_InviteShowsTheLinkOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	made := r.invite(t, "ana@example.com", "support")
	require.Equal(t, map[string]any{
		"path": "/welcome/s3cret-1", "url": "https://hooks.example.com/welcome/s3cret-1", "expires_in_seconds": 86400.0,
	}, made["link"])
	require.Equal(t, "support", made["role"])
	require.Nil(t, made["password_at"])
	path := "/v1/users/" + made["id"].(string)

	for _, reading := range []string{path, "/v1/users", "/v1/users?name=ANA@example.com"} {
		answer := r.call("GET", reading, adminKey, "")
		require.Contains(t, answer.Body.String(), "ana@example.com")
		require.NotContains(t, answer.Body.String(), "s3cret")
	}
	again := r.call("POST", path+"/link", adminKey, "").object(t, http.StatusOK)
	require.Equal(t, "/welcome/s3cret-2", again["path"])
	require.NotContains(t, r.log.String(), "s3cret")
	require.Equal(t, "renew-user-link", r.lastAct().Operation)
	for _, act := range r.audited {
		require.NotContains(t, act.Detail, "s3cret")
		require.Contains(t, act.Detail, "ana@example.com", "whom it was done to")
	}
	const eve = `{"name":"eve","role":"admin"}`
	require.NotNil(t, r.call("POST", "/v1/users", adminKey, eve, "Idempotency-Key", "k").object(t, http.StatusCreated)["link"])
	require.NotContains(t, r.call("POST", "/v1/users", adminKey, eve, "Idempotency-Key", "k").object(t, http.StatusOK), "link")
	r.call("POST", "/v1/users", adminKey, `{"name":"Ana@Example.com","role":"viewer"}`).problem(t, UserExists)
}

func TestUsers_LinkWithoutAPublicURLIsAPath(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(o *Options) { o.PublicURL = "" })
	link := r.invite(t, "ana", "admin")["link"].(map[string]any)
	require.Nil(t, link["url"])
	require.Equal(t, "/welcome/s3cret-1", link["path"])
}

func TestUsers_Change(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ana, bob := "/v1/users/"+r.invite(t, "ana", "admin")["id"].(string), "/v1/users/"+r.invite(t, "bob", "viewer")["id"].(string)

	for _, last := range []struct{ method, path, body string }{
		{"PATCH", ana, `{"role":"support"}`}, {"POST", ana + "/disable", ""}, {"DELETE", ana, ""},
	} {
		r.call(last.method, last.path, adminKey, last.body).problem(t, LastAdmin)
	}
	require.Equal(t, "admin", r.call("PATCH", bob, adminKey, `{"role":"admin"}`).object(t, http.StatusOK)["role"])
	require.Equal(t, "bob, role: admin", r.lastAct().Subjects[0].Detail)
	require.Equal(t, "support", r.call("PATCH", ana, adminKey, `{"role":"support"}`).object(t, http.StatusOK)["role"])
	r.lastAct()
	require.Equal(t, "support", r.call("PATCH", ana, adminKey, `{"role":null}`).object(t, http.StatusOK)["role"])
	require.Empty(t, r.acts, "it changed nothing")

	require.NotNil(t, r.call("POST", ana+"/disable", adminKey, "").object(t, http.StatusOK)["disabled_at"])
	r.call("POST", ana+"/link", adminKey, "").problem(t, UserDisabled)
	require.Nil(t, r.call("POST", ana+"/enable", adminKey, "").object(t, http.StatusOK)["disabled_at"])
	require.Equal(t, http.StatusNoContent, r.call("DELETE", ana, adminKey, "").Code)
	require.Equal(t, "ana", r.lastAct().Subjects[0].Detail, "the name outlives the user")
	r.call("GET", ana, adminKey, "").problem(t, NotFound)
	r.call("DELETE", ana, adminKey, "").problem(t, NotFound)
}

func TestUsers_AreForAdministrators(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := "/v1/users/" + r.invite(t, "ana", "admin")["id"].(string)
	for _, key := range []string{acmeKey, readKey, publishKey} {
		r.call("GET", "/v1/users", key, "").problem(t, InsufficientScope)
		r.call("GET", path, key, "").problem(t, InsufficientScope)
		r.call("POST", path+"/link", key, "").problem(t, InsufficientScope)
		r.call("POST", "/v1/users", key, `{"name":"b","role":"admin"}`).problem(t, InsufficientScope)
		r.call("GET", "/v1/about", key, "").problem(t, InsufficientScope)
	}
	require.Len(t, r.users, 1)
}

func TestUsers_RefusesWhatIsNoUser(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, body := range []string{
		`{}`, `{"name":"","role":"admin"}`, `{"name":"  ","role":"admin"}`, `{"name":"a\u0000b","role":"admin"}`, `{"name":"a\u202eb","role":"admin"}`,
		`{"name":"a","role":"root"}`, `{"name":"a","role":"admin","password":"x"}`,
	} {
		r.call("POST", "/v1/users", adminKey, body).problem(t, InvalidRequest)
	}
	require.Empty(t, r.users)
	r.call("GET", "/v1/users?name=%00", adminKey, "").problem(t, InvalidRequest)
	require.Empty(t, r.call("GET", "/v1/users?name=nobody", adminKey, "").object(t, http.StatusOK)["data"])
}

func TestUsers_ListPageByPage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, name := range []string{"a", "b", "c"} {
		r.invite(t, name, "viewer")
	}
	var names []string
	for cursor := ""; ; {
		page := r.call("GET", "/v1/users?limit=2&cursor="+cursor, adminKey, "").object(t, http.StatusOK)
		for _, row := range page["data"].([]any) {
			names = append(names, row.(map[string]any)["name"].(string))
		}
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		cursor = next
	}
	slices.Sort(names)
	require.Equal(t, []string{"a", "b", "c"}, names)
}

func TestAbout_TellsWhatThisIs(t *testing.T) {
	t.Parallel()
	about := newRig(t).call("GET", "/v1/about", adminKey, "").object(t, http.StatusOK)
	require.Subset(t, slices.Collect(maps.Keys(about)), []string{"version", "roles", "database_version", "retention_hours"})
	require.InDelta(t, 720, about["retention_hours"], 0)
}
