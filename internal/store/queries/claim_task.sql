-- Whoever moves the time forward, runs the task.
INSERT INTO malote.maintenance_tasks AS t (name, last_run_at)
VALUES ($1, now())
ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
WHERE t.last_run_at <= excluded.last_run_at - make_interval(secs => $2)
