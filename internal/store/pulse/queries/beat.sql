INSERT INTO malote.pulses (process, seconds, published, ok, failed, latency)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (process, at) DO NOTHING
