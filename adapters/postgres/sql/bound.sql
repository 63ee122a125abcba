-- Milliseconds that a statement may take, and may wait for a lock. The server checks a parameter of
-- this type when it binds the values of a statement, directly before it starts the timer of the
-- execution. So the check is where a statement can limit itself: it costs no round trip, ends with
-- the transaction, and passes through poolers. A shorter statement_timeout of the host stays in
-- force, because its timer already runs.
--
-- Empty within a transaction of the host, because the limits would hold to its end.
CREATE DOMAIN $bound AS text CHECK (
  CASE WHEN VALUE <> '' THEN
    set_config('statement_timeout', VALUE, true) IS NOT NULL
    AND set_config('lock_timeout', VALUE, true) IS NOT NULL
  ELSE true END
);
