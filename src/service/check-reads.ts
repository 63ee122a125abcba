import { err, ok, type Result } from 'neverthrow';
import { DONE } from '../events/safe-iterator.js';
import { type Described, fitSchemas } from '../input/fit-schemas.js';
import type { HostSchemas } from '../input/host-schemas.js';
import type { InputPolicy } from '../input/input-policy.js';
import { type CorruptRecord, corruptRecord, type Misconfigured } from '../session/errors.js';
import type { Mutable } from '../session/members.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import type { SessionChange, TenantChange, TenantEvent } from '../session/session-event.js';
import type { SessionPage } from './operation-results.js';
import type { Decision } from './update-state.js';

/*
 * Stored data is checked only with `schemas.onRead`. Only then are promises returned: other reads
 * wait for nothing more.
 */

type Checked<T> = Decision<T, CorruptRecord | Misconfigured>;

type CheckedLater<T> = Exclude<Checked<T>, Result<unknown, unknown>>;

/** Stored data was within the limits when it was written. */
const noLimits = { metadataBytes: Number.MAX_SAFE_INTEGER, contentBytes: Number.MAX_SAFE_INTEGER };

const schemasOnRead = ({ schemas }: InputPolicy): HostSchemas | undefined =>
  schemas?.onRead === true ? schemas : undefined;

const fitted = async <V extends Described>(
  schemas: HostSchemas,
  id: string,
  value: V,
): CheckedLater<V> => {
  const read = await fitSchemas(schemas, noLimits, value);
  return read.mapErr((error) =>
    error.type === 'invalid_input' ? corruptRecord(id, error.message) : error,
  );
};

export const checkRead = <V extends Described>(
  policy: InputPolicy,
  id: string,
  value: V,
): Checked<V> => {
  const schemas = schemasOnRead(policy);
  return schemas === undefined ? ok(value) : fitted(schemas, id, value);
};

const fittedPage = async (schemas: HostSchemas, page: SessionPage): CheckedLater<SessionPage> => {
  const sessions: Session[] = [];
  const ids = [...page.unreadable];
  for (const session of page.sessions) {
    const read = await fitted(schemas, session.id, session);
    if (read.isOk()) sessions.push(read.value);
    else if (read.error.type === 'corrupt_record') ids.push(session.id);
    else return err(read.error);
  }
  return ok({ ...page, sessions, unreadable: ids });
};

/** Sessions that do not fit the schemas count as unreadable. */
export const checkPage = (policy: InputPolicy, page: SessionPage): Checked<SessionPage> => {
  const schemas = schemasOnRead(policy);
  return schemas === undefined ? ok(page) : fittedPage(schemas, page);
};

export const checkChange = async (
  schemas: HostSchemas,
  change: SessionChange,
): CheckedLater<SessionChange> => {
  if (change.type === 'session.deleted' || change.type === 'session.expiring') return ok(change);
  const { id } = change.session;
  if (change.type === 'session.snapshot') {
    const read = await fitted(schemas, id, change.session);
    return read.map((session) => ({ ...change, session }));
  }
  const read = await fitted(schemas, id, change.session);
  if (read.isErr()) return err(read.error);
  return fitted(schemas, id, { ...change, session: read.value });
};

/**
 * Checks an item of `watchAll`. Data that does not fit is left out, like data that cannot be read.
 */
export const checkEvent = async (
  schemas: HostSchemas,
  change: TenantChange,
): CheckedLater<TenantChange> => {
  if (change.type === 'events_lost') return ok(change);
  const event: Mutable<TenantEvent> = { ...change };
  const { sessionId: id } = event;
  if (event.session !== undefined) {
    const read = await fitted(schemas, id, event.session);
    if (read.isOk()) event.session = read.value;
    else if (read.error.type === 'misconfigured') return err(read.error);
    else delete event.session;
  }
  if (event.type === 'session.appended' && event.entries !== undefined) {
    const { entries } = event;
    const read = await fitted(schemas, id, { entries });
    if (read.isOk()) event.entries = read.value.entries;
    else if (read.error.type === 'misconfigured') return err(read.error);
    else delete event.entries;
  }
  return ok(event);
};

type Items<T> = AsyncIterator<Result<T, OperationErrors['watch']>, void>;

/** The items of a watch, which ends with the first item that does not fit. */
export const checkItems = <T>(
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
