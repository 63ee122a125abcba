-- Milliseconds that a statement may take, and may wait for a lock. The server checks a parameter of
-- this type when it binds the values of a statement, directly before it starts the timer of the
-- execution. So a statement can limit itself here: without a round trip, until the end of the
-- transaction, and through poolers. A shorter statement_timeout of the host stays in force, because
-- its timer already runs.
--
-- Empty within a transaction of the host, because the limits would last until its end.
CREATE DOMAIN $bound AS text CHECK (
  CASE WHEN VALUE <> '' THEN
    set_config('statement_timeout', VALUE, true) IS NOT NULL
    AND set_config('lock_timeout', VALUE, true) IS NOT NULL
  ELSE true END
);
