-- The tables of version 1. `$` before a name stands for the prefix of all names.
--
-- Tenants, ids and label values are escaped (`escapeName`). Times are in milliseconds since the
-- epoch; 9007199254740991 stands for Infinity.
--
-- `sessions` contains the data that changes, in short rows, because every append rewrites a row.
-- `heads` contains the data that never changes. `state` is JSON without `last_activity`,
-- `revision`, `asked_at` and `inbox`, which appends and messages change. `status` and `deadline`
-- repeat the parts that are searched; `wake_at` is when a worker may claim the session.
--
-- What is left of a removed session until its end is reported is a separate row of `sessions`,
-- whose tenant and id contain a colon, so that only the queue of due sessions finds it.
--
-- Triggers update the totals, and remove all rows of a session together with its row in `sessions`.
CREATE TABLE $sessions (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  status TEXT NOT NULL,
  deadline INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  wake_at INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  inbox INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  redactions INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  head_bytes INTEGER NOT NULL,
  state TEXT NOT NULL
);
CREATE UNIQUE INDEX $sessions_by_id ON $sessions (tenant, id);
CREATE INDEX $sessions_by_creation ON $sessions (tenant, created_ms, id);
CREATE INDEX $sessions_by_status
  ON $sessions (tenant, status, created_ms, id, deadline);
CREATE INDEX $sessions_by_due
  ON $sessions (due_at)
  WHERE due_at < 9007199254740991;
CREATE INDEX $sessions_by_tenant_due
  ON $sessions (tenant, due_at, status, deadline)
  WHERE due_at < 9007199254740991;
CREATE INDEX $sessions_by_tenant_wake
  ON $sessions (tenant, wake_at, deadline)
  WHERE wake_at < 9007199254740991;
CREATE INDEX $sessions_waiting_by_end
  ON $sessions (deadline)
  WHERE wake_at < 9007199254740991;

-- One row: the last tenant that a claim of all tenants has served.
CREATE TABLE $turn (tenant TEXT NOT NULL);
INSERT INTO $turn VALUES ('');

CREATE TABLE $heads (
  session INTEGER PRIMARY KEY,
  head TEXT NOT NULL
);

-- Each entry and each rewind takes a position, which is never used again; sessions.position is the
-- last. A rewind deletes the rows after the position that it goes back to. bytes: the size of the
-- entry with a comma.
CREATE TABLE $entries (
  session INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  entry TEXT NOT NULL,
  PRIMARY KEY (session, position)
) WITHOUT ROWID;

CREATE TABLE $operations (
  session INTEGER NOT NULL,
  operation TEXT NOT NULL,
  digest TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (session, operation)
) WITHOUT ROWID;

-- In the order in which they were sent. A waiting message has an entry, a taken message has a
-- position, and a withdrawn message has neither.
CREATE TABLE $messages (
  number INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  id TEXT NOT NULL,
  digest TEXT NOT NULL,
  entry TEXT,
  position INTEGER,
  UNIQUE (session, id)
);
CREATE INDEX $messages_waiting
  ON $messages (session, number)
  WHERE entry IS NOT NULL;

CREATE TABLE $labels (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  id TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, value, created_ms, id)
) WITHOUT ROWID;
CREATE INDEX $labels_by_session ON $labels (session);

-- Numbers of sessions by label, and with an empty name by stored status.
CREATE TABLE $totals (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, value)
) WITHOUT ROWID;

CREATE TABLE $events (
  number INTEGER PRIMARY KEY,
  ms INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX $events_by_time ON $events (ms);
CREATE INDEX $events_by_tenant ON $events (tenant, ms);
CREATE INDEX $events_by_session ON $events (tenant, id, ms);

CREATE TRIGGER $session_added AFTER INSERT ON $sessions BEGIN
  INSERT INTO $totals
    VALUES (NEW.tenant, '', NEW.status, 1)
    ON CONFLICT (tenant, name, value) DO UPDATE SET sessions = sessions + 1;
END;

CREATE TRIGGER $session_changed AFTER UPDATE OF status ON $sessions
WHEN OLD.status <> NEW.status BEGIN
  UPDATE $totals
    SET sessions = sessions - 1
    WHERE tenant = OLD.tenant AND name = '' AND value = OLD.status;
  INSERT INTO $totals
    VALUES (NEW.tenant, '', NEW.status, 1)
    ON CONFLICT (tenant, name, value) DO UPDATE SET sessions = sessions + 1;
END;

CREATE TRIGGER $session_removed AFTER DELETE ON $sessions BEGIN
  UPDATE $totals
    SET sessions = sessions - 1
    WHERE tenant = OLD.tenant AND name = '' AND value = OLD.status;
  DELETE FROM $totals
    WHERE tenant = OLD.tenant AND name = '' AND value = OLD.status AND sessions = 0;
  DELETE FROM $heads WHERE session = OLD.number;
  DELETE FROM $entries WHERE session = OLD.number;
  DELETE FROM $operations WHERE session = OLD.number;
  DELETE FROM $messages WHERE session = OLD.number;
  DELETE FROM $labels WHERE session = OLD.number;
END;

CREATE TRIGGER $label_added AFTER INSERT ON $labels BEGIN
  INSERT INTO $totals
    VALUES (NEW.tenant, NEW.name, NEW.value, 1)
    ON CONFLICT (tenant, name, value) DO UPDATE SET sessions = sessions + 1;
END;

CREATE TRIGGER $label_removed AFTER DELETE ON $labels BEGIN
  UPDATE $totals
    SET sessions = sessions - 1
    WHERE tenant = OLD.tenant AND name = OLD.name AND value = OLD.value;
  DELETE FROM $totals
    WHERE tenant = OLD.tenant AND name = OLD.name AND value = OLD.value AND sessions = 0;
END;
