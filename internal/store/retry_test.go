package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the server ends for the sake of others is done again, whole and once. The
// trigger ends each transaction the first two times.
func TestRetry_WhereTheServerAsksForIt(t *testing.T) {
	f := newFixture(t)
	f.endpoint("acme", 4)
	f.exec(`CREATE SEQUENCE refusals`)
	f.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
		IF nextval(''refusals'') <= 2 THEN RAISE EXCEPTION ''again'' USING ERRCODE = TG_ARGV[0]; END IF; RETURN NEW; END'`)
	twiceRefused := func(when, code string) {
		f.exec(`DROP TRIGGER IF EXISTS refuse ON malote.queue; DROP TRIGGER IF EXISTS refuse ON malote.lanes;
			DROP TRIGGER IF EXISTS refuse ON malote.attempts; ALTER SEQUENCE refusals RESTART`)
		f.exec(`CREATE TRIGGER refuse BEFORE ` + when + ` FOR EACH ROW EXECUTE FUNCTION refuse('` + code + `')`)
	}
	twiceRefused(`INSERT ON malote.queue`, "40001")
	f.publish(draft("acme", "1", withKey("k")), draft("acme", "2", withKey("k"))) // the second follows, or is refused
	require.Equal(t, map[string]int{"pending": 1}, f.states())
	f.exec(`UPDATE malote.lanes SET ready_at = 'infinity'`)
	twiceRefused(`UPDATE ON malote.lanes`, "40P01")
	f.publish(draft("acme", "3", coalesced("k")))
	twiceRefused(`UPDATE ON malote.queue`, "40P01")
	claims := f.claim(4)
	require.Len(t, claims, 2)
	require.NotEmpty(t, claims[0].Event.Body)
	twiceRefused(`INSERT ON malote.attempts`, "55P03")
	require.Equal(t, 0, f.answer(410, claims...).Lost)
	require.Equal(t, map[string]int{"dead": 2}, f.states())
	require.Equal(t, 2, scalar[int](f, `SELECT consecutive_failures FROM malote.lanes`))
	require.Equal(t, 2, scalar[int](f, `SELECT failed::int FROM malote.lane_stats`))
	require.Equal(t, 3, scalar[int](f, `SELECT count(*)::int FROM malote.signals`), "two dead, one endpoint disabled")
}
