import { err, ok, type Result } from 'neverthrow';
import { DONE } from '../events/safe-iterator.js';
import { fitEntries, SchemaReader } from '../input/fit-schemas.js';
import type { HostSchemas } from '../input/host-schemas.js';
import type { InputPolicy } from '../input/input-policy.js';
import {
  type CorruptRecord,
  corruptRecord,
  type InvalidInput,
  type Misconfigured,
} from '../session/errors.js';
import type { Mutable } from '../session/mutable.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { HistoryEntry, Session } from '../session/session.js';
import type {
  SessionChange,
  SessionSummary,
  TenantChange,
  TenantEvent,
} from '../session/session-event.js';
import type { HistoryPart, SessionPage } from './operation-results.js';
import type { Decision } from './update-state.js';

/*
 * What is read is checked only with `schemas.onRead`. Promises are returned only then: without it
 * a read waits for nothing more.
 */

/** What was read, as the schemas of the host make it. */
type Checked<T> = Decision<T, CorruptRecord | Misconfigured>;

type CheckedLater<T> = Exclude<Checked<T>, Result<unknown, unknown>>;

/** What is stored was within the limits when it was written. */
const noLimits = { metadataBytes: Number.MAX_SAFE_INTEGER, contentBytes: Number.MAX_SAFE_INTEGER };

const schemasOnRead = ({ schemas }: InputPolicy): HostSchemas | undefined =>
  schemas?.onRead === true ? schemas : undefined;

const unreadable = <T>(
  id: string,
  fitted: Result<T, InvalidInput | Misconfigured>,
): Result<T, CorruptRecord | Misconfigured> =>
  fitted.mapErr((error) =>
    error.type === 'invalid_input' ? corruptRecord(id, error.message) : error,
  );

type ReadSession = SessionSummary & { readonly history?: readonly HistoryEntry[] };

const fittedSession = async <S extends ReadSession>(
  schemas: HostSchemas,
  session: S,
): CheckedLater<S> => {
  const reader = new SchemaReader(schemas, noLimits);
  const metadata = await reader.metadata(session.metadata);
  if (metadata.isErr()) return err(metadata.error);
  const fitted = { ...session, metadata: metadata.value ?? {} };
  if (session.history === undefined) return unreadable(session.id, reader.end(fitted));
  const history = await reader.entries('history', session.history);
  if (history.isErr()) return err(history.error);
  return unreadable(session.id, reader.end({ ...fitted, history: history.value }));
};

const fittedPart = async <P extends Pick<HistoryPart, 'entries'>>(
  schemas: HostSchemas,
  id: string,
  part: P,
): CheckedLater<P> => unreadable(id, await fitEntries(schemas, noLimits, part));

/** A session that was read. */
export const checkSession = <S extends ReadSession>(
  policy: InputPolicy,
  session: S,
): Checked<S> => {
  const schemas = schemasOnRead(policy);
  return schemas === undefined ? ok(session) : fittedSession(schemas, session);
};

/** A part of a history that was read. */
export const checkPart = (
  policy: InputPolicy,
  id: string,
  part: HistoryPart,
): Checked<HistoryPart> => {
  const schemas = schemasOnRead(policy);
  return schemas === undefined ? ok(part) : fittedPart(schemas, id, part);
};

const fittedPage = async (schemas: HostSchemas, page: SessionPage): CheckedLater<SessionPage> => {
  const sessions: Session[] = [];
  const ids = [...page.unreadable];
  for (const session of page.sessions) {
    const fitted = await fittedSession(schemas, session);
    if (fitted.isOk()) sessions.push(fitted.value);
    else if (fitted.error.type === 'corrupt_record') ids.push(session.id);
    else return err(fitted.error);
  }
  return ok({ ...page, sessions, unreadable: ids });
};

/** A page that was read: sessions that do not fit are unreadable. */
export const checkPage = (policy: InputPolicy, page: SessionPage): Checked<SessionPage> => {
  const schemas = schemasOnRead(policy);
  return schemas === undefined ? ok(page) : fittedPage(schemas, page);
};

/** A change of one session. */
const fittedChange = async (
  schemas: HostSchemas,
  change: SessionChange,
): CheckedLater<SessionChange> => {
  if (change.type === 'session.deleted' || change.type === 'session.expiring') return ok(change);
  const { id } = change.session;
  if (change.type === 'session.snapshot') {
    const session = await fittedSession(schemas, change.session);
    return session.map((fitted) => ({ ...change, session: fitted }));
  }
  const session = await fittedSession(schemas, change.session);
  if (session.isErr()) return err(session.error);
  return fittedPart(schemas, id, { ...change, session: session.value });
};

/** A change of a session of the tenant. Like one that cannot be read, what does not fit is absent. */
const fittedEvent = async (
  schemas: HostSchemas,
  change: TenantChange,
): CheckedLater<TenantChange> => {
  if (change.type === 'events_lost') return ok(change);
  const event: Mutable<TenantEvent> = { ...change };
  if (event.session !== undefined) {
    const session = await fittedSession(schemas, event.session);
    if (session.isOk()) event.session = session.value;
    else if (session.error.type === 'misconfigured') return err(session.error);
    else delete event.session;
  }
  if (event.type === 'session.appended' && event.entries !== undefined) {
    const part = await fittedPart(schemas, event.sessionId, { entries: event.entries });
    if (part.isOk()) event.entries = part.value.entries;
    else if (part.error.type === 'misconfigured') return err(part.error);
    else delete event.entries;
  }
  return ok(event);
};

type Items<T> = AsyncIterator<Result<T, OperationErrors['watch']>, void>;

/** The items of a watch, which ends with one that does not fit. */
const checkItems = <T>(
  policy: InputPolicy,
  items: Items<T>,
  check: (schemas: HostSchemas, item: T) => CheckedLater<T>,
): Items<T> => {
  const schemas = schemasOnRead(policy);
  if (schemas === undefined) return items;
  const end = async () => {
    await items.return?.();
    return DONE;
  };
  return {
    async next() {
      const next = await items.next();
      if (next.done === true || next.value.isErr()) return next;
      const value = await check(schemas, next.value.value);
      if (value.isErr()) await end();
      return { done: false, value };
    },
    return: end,
  };
};

/** The items of `watch`. */
export const checkChanges = (
  policy: InputPolicy,
  changes: Items<SessionChange>,
): Items<SessionChange> => checkItems(policy, changes, fittedChange);

/** The items of `watchAll`. */
export const checkEvents = (
  policy: InputPolicy,
  events: Items<TenantChange>,
): Items<TenantChange> => checkItems(policy, events, fittedEvent);
