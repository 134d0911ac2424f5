DELETE FROM malote.pulses p
WHERE p.at < now() - interval '15 minutes'
