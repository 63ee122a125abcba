-- 1 tenant, 2 id, 3 now, 4 deadline, 5 settings, 6 event
WITH created AS (
  INSERT INTO fair.sessions (tenant, id, created_ms, status, deadline, activity, settings)
    VALUES ($1, $2, $3, 'IDLE', $4, $3, $5) ON CONFLICT DO NOTHING RETURNING number
)
INSERT INTO fair.events (detail) SELECT $6 FROM created
