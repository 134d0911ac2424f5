package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// wakeChannel is where processes tell each other that lanes became ready. A
// lost notification costs a poll interval, nothing else.
const wakeChannel = "malote_wake"

// notify tells the other processes that lanes became ready. It comes after the
// commit that made them so: a commit with a notification in it waits for every
// other one of the whole server. It waits for no disk: a lost one costs a poll.
func (s *Store) notify(ctx context.Context) {
	if _, err := s.hot.Exec(ctx, notifySQL, wakeChannel, s.name); err != nil {
		s.logUntold(err)
	}
}

const notifySQL = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`

// notifyOfWokenSQL is sent together with what wakes lanes, a transaction of its own
// behind that one: it tells if there were any.
const notifyOfWokenSQL = notifySQL + ` WHERE current_setting('malote.woken') <> '0'`

func (s *Store) logUntold(err error) {
	s.log.Warn("telling other processes of woken lanes failed; they find them when they poll", "error", err)
}

// listenerCheck is how often a silent listener asks whether its connection
// still lives: behind a dropped network it would otherwise wait for ever.
const listenerCheck = 15 * time.Second

// Listen calls wake for every notification, on a connection of its own, until
// ctx ends or the connection fails. The caller calls it again then.
func (s *Store) Listen(ctx context.Context, wake func()) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connecting the listener: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+wakeChannel); err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	wake() // something may have happened while nobody listened
	for {
		if err := waitOrCheck(ctx, conn, s.name, wake); err != nil {
			return fmt.Errorf("listening: %w", err)
		}
	}
}

func waitOrCheck(ctx context.Context, conn *pgx.Conn, self string, wake func()) error {
	waiting, cancel := context.WithTimeout(ctx, listenerCheck)
	defer cancel()
	notification, err := conn.WaitForNotification(waiting)
	switch {
	case err == nil:
		if notification.Payload != self { // whoever woke lanes here knows
			wake()
		}
		return nil
	case waiting.Err() == nil || ctx.Err() != nil || conn.IsClosed():
		return err
	}
	checking, cancelCheck := context.WithTimeout(ctx, 5*time.Second)
	defer cancelCheck()
	return conn.Ping(checking)
}
