package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/malotehq/malote/internal/app"
	"github.com/malotehq/malote/internal/store"
)

func TestDoctor_SeesStrandedLanesAndWakesNone(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(o *app.Options) { o.Roles = []app.Role{app.RoleAPI} })
	database := []string{"--database-url", server.dsn}
	succeeds(t, server.with("tenants", "create", "acme")...)
	succeeds(t, server.with("endpoints", "create", "http://127.0.0.1:1/", "--tenant", "acme")...)
	succeeds(t, server.with("publish", "a.b", "--tenant", "acme", "--data", "1")...)
	server.age(t, time.Minute)
	require.Equal(t, healthy, examined(t, database...)["lanes"].Health, "it is ready, and waits for a worker")

	server.execute(t, `UPDATE malote.lanes SET ready_at = 'infinity'`)
	for range 2 { // it is the sweep's to mend
		lanes := examined(t, database...)["lanes"]
		require.Equal(t, wrong, lanes.Health)
		require.Contains(t, lanes.Found, "1 lane ")
	}
	require.Equal(t, healthy, examined(t, database...)["vacuum"].Health)
}

func TestDoctor_JudgesBloat(t *testing.T) {
	t.Parallel()
	small := []store.DeadRows{{Table: "queue", Live: 10, Dead: manyDead - 1}, {Table: "lanes", Live: manyDead, Dead: manyDead}}
	large := []store.DeadRows{{Table: "queue", Live: 1000, Dead: manyDead}}
	for name, c := range map[string]struct {
		tables []store.DeadRows
		age    time.Duration
		health health
		found  []string
	}{
		"nothing":                         {nil, 0, healthy, []string{"keeps up"}},
		"few, or no more than live":       {small, longHeld, healthy, []string{"keeps up"}},
		"a bloated table":                 {large, 0, warning, []string{"queue has 200000 dead rows beside 1000 live ones"}},
		"an old transaction":              {nil, longHeld + time.Second, warning, []string{"the session 7", "30m"}},
		"a table bloated because of that": {large, 2 * longHeld, warning, []string{"queue has", "the session 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := judgeBloat(c.tables, store.Holder{What: "the session 7", Age: c.age}, c.age > 0)
			require.Equal(t, c.health, found.Health)
			for _, text := range c.found {
				require.Contains(t, found.Found, text)
			}
			require.Equal(t, c.health == healthy, found.Fix == "")
		})
	}
}
