-- An append that keeps the engine's promises in one statement, which is one transaction. A name
-- that the session already knows breaks the key of its operations, and with it everything.
--
-- 1 tenant, 2 id, 3 now, 4 most entries, 5 role, 6 content, 7 timestamp, 8 event up to the position,
-- 9 name or NULL, 10 digest
WITH changed AS (
  UPDATE fair.sessions SET entries = entries + 1, revision = revision + 1, activity = $3
    WHERE tenant = $1 AND id = $2 AND status = 'ACTIVE' AND deadline > $3 AND entries < $4
    RETURNING number, entries, revision
), named AS (
  INSERT INTO fair.operations SELECT number, $9, $10 FROM changed WHERE $9::text IS NOT NULL
), entered AS (
  INSERT INTO fair.entries SELECT number, entries, $5, $6, $7 FROM changed
)
INSERT INTO fair.events (detail)
  SELECT $8::text || entries || ',"sequence":' || revision || '}' FROM changed
