SELECT p.process, extract(epoch FROM now() - p.at)::float8, p.seconds, p.published, p.ok, p.failed, p.latency
FROM malote.pulses p
WHERE p.at > now() - make_interval(secs => $1)
