import type { HistoryEntry } from '../../src/session/session.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { noOptions } from '../../src/session/session-record.js';
import type {
  BeginCommit,
  EventPart,
  Guards,
  LiveLimit,
  MessageToStore,
  Move,
  RemoveCommit,
  Spend,
  StateChange,
  UseChange,
} from '../../src/store/commit.js';
import { escapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import { encodeEntry } from '../stored/json.js';
import { dueText, type IndexChange, indexChangeOf, listsOf, timeText } from './index-entries.js';
import type { Keyspace, SessionKeys } from './keyspace.js';
import {
  activityText,
  encodeLines,
  encodeRecord,
  labelsLine,
  revisionText,
  stateFields,
  stateLine,
} from './record.js';
import { type Mutation, writeScripts } from './write-scripts.js';

const textOf = (value: number | string | undefined): string =>
  value === undefined ? '' : String(value);

/** The script completes the event of an append with its positions. */
const eventText = ({ sessionKey }: SessionKeys, event: EventPart): string => {
  const text = `${sessionKey} ${JSON.stringify(event)}`;
  return event.type === 'appended' ? text.slice(0, -1) : text;
};

interface Mail {
  readonly send?: MessageToStore | undefined;
  readonly withdraw?: readonly string[] | undefined;
}

interface Parts {
  readonly numbers: Readonly<Record<string, number | string | undefined>>;
  readonly operation?: Guards['operation'];
  readonly live?: LiveLimit | undefined;
  readonly index?: IndexChange;
  readonly source?: string | undefined;
  readonly mail?: Mail | undefined;
  readonly lines?: string | undefined;
  readonly texts?: readonly string[];
  readonly events?: readonly EventPart[];
}

const someOf = (list: readonly unknown[]): number | undefined => list.length || undefined;

const noChange: IndexChange = { gained: [], lost: [] };

const keysOf = (
  keys: SessionKeys,
  { operation, mail, live, index = noChange, source, numbers }: Parts,
): readonly string[] => {
  // The remains of a removed session are a record and nothing else.
  const names = [keys.record, keys.isLeft ? keys.record : keys.journal];
  if (operation) names.push(keys.operations);
  if (mail) names.push(keys.inbox);
  if (source !== undefined) names.push(source);
  if ((index.due ?? live ?? numbers['spent']) !== undefined)
    names.push(keys.deadlines, keys.tenants);
  if ((index.work ?? numbers['revised']) !== undefined) names.push(keys.work, keys.waiting);
  if (live) names.push(keys.byStatus.ACTIVE, keys.byStatus.PAUSED);
  return [...names, ...index.gained, ...index.lost];
};

const namedNumbers = (numbers: Parts['numbers']): string => {
  let text = '';
  for (const name of Object.keys(numbers)) {
    const value = numbers[name];
    if (value !== undefined) text += ` ${name}=${value}`;
  }
  return text;
};

const changing = (keys: SessionKeys, parts: Parts): Mutation => {
  const { operation, mail, live, index = noChange, lines, texts = [], events = [] } = parts;
  const { send, withdraw = [] } = mail ?? {};
  const common = {
    digest: operation?.digest,
    mail: mail && 1,
    sent: send?.digest,
    withdraw: someOf(withdraw),
    live: live?.sessions,
    liveAt: live?.now,
    due: index.due,
    work: index.work,
    gained: someOf(index.gained),
    lost: someOf(index.lost),
    events: someOf(events),
  };
  const args = [keys.idKey, keys.tenantKey, namedNumbers(parts.numbers) + namedNumbers(common)];
  if (operation) args.push(operation.id);
  if (send) args.push(send.entry.id, encodeEntry(send.entry));
  args.push(...withdraw);
  if (lines !== undefined) args.push(lines);
  args.push(...texts, ...events.map((event) => eventText(keys, event)));
  const script = parts.numbers['spent'] === undefined ? writeScripts.change : writeScripts.spend;
  return { script, keys: keysOf(keys, parts), args };
};

/** An invalid version must not reach the script, whose numbers have spaces between them. */
const versionText = (version: string): string => (/^[\w.-]+$/.test(version) ? version : '-');

const linesOf = (entries: readonly HistoryEntry[]): string | undefined =>
  entries.length === 0 ? undefined : encodeLines(entries);

export const beginning = (
  keys: SessionKeys,
  incarnation: string,
  { guards: { source, live }, effects: { head, state, entries, events } }: BeginCommit,
): Mutation => {
  const lines = linesOf(entries);
  const bytes = Buffer.byteLength(lines ?? '');
  const counts = { sequence: events.length, entries: entries.length, bytes };
  const version = source && versionText(source.version);
  return changing(keys, {
    numbers: { begin: bytes, version, count: someOf(entries) },
    live,
    index: indexChangeOf(keys, undefined, state),
    source: source && keys.records + escapeName(source.id),
    lines,
    texts: [encodeRecord(incarnation, head, state, counts)],
    events,
  });
};

const conditionsOf = ({ operation, fence, end }: Guards): string => {
  if (!operation && !fence && end === undefined) return '';
  const { token = '-', now = '-' } = fence ?? {};
  return ` ${end ?? '-'} ${token} ${now} ${operation?.digest ?? '-'}`;
};

/** An append without other guards and effects, for which a shorter script suffices. */
const plainAppend = (
  keys: SessionKeys,
  { guards, effects }: StateChange | UseChange,
): Mutation | undefined => {
  const { entries = [], events, put, truncate } = effects;
  if (put !== undefined || truncate !== undefined || entries.length === 0) return undefined;
  const { revision, unusedSince, over, live, inbox, open } = guards;
  const others = effects.send ?? effects.spend ?? revision ?? unusedSince ?? over ?? live ?? inbox;
  if (others !== undefined) return undefined;
  const [event] = events;
  const isOne = event?.type === 'appended' && event.after === undefined && events.length === 1;
  if (!isOne) return undefined;
  const isAtOneTime = open !== undefined && open === effects.activity && open === event.at;
  if (!isAtOneTime || keys.isLeft) return undefined;
  const conditions = conditionsOf(guards);
  const room = (guards.entries ?? NEVER) - entries.length;
  const args = [`${open} ${entries.length} ${room}${conditions}`, encodeLines(entries)];
  const names = [keys.record, keys.journal];
  if (conditions !== '') {
    names.push(keys.operations);
    args.push(guards.operation?.id ?? '');
  }
  return { script: writeScripts.append, keys: names, args };
};

const revisionOf = (revision: number | undefined): string | undefined =>
  revision === undefined ? undefined : revisionText(revision);

const spendNumbers = ({ usage, free, last, at, revision }: Spend) => ({
  spent: Object.entries(usage).join(';'),
  free: [',', ...free, ','].join(','),
  last,
  spentAt: at,
  next: revisionText(revision),
});

const numbersOf = ({ guards, effects }: StateChange | UseChange): Parts['numbers'] => {
  const { unusedSince: unused, open, over, fence, inbox: full } = guards;
  const { end: finish, entries: most } = guards;
  const { put, truncate, entries = [] } = effects;
  const state = { unused, open, over, token: fence?.token, held: fence?.now, full };
  const history = { finish, most, truncate, count: someOf(entries) };
  const numbers = { ...state, ...history, revision: revisionOf(guards.revision) };
  if (put === undefined) {
    const { activity, send, spend } = effects;
    const use = { ...numbers, activity, asked: send?.at, revised: revisionOf(send?.revision) };
    return spend === undefined ? use : { ...use, ...spendNumbers(spend) };
  }
  const { revision, lastActivityAt, work } = put.state;
  const { askedAt: asked = NEVER, inbox: waits = 0 } = work;
  const { messages: take, turn } = effects.take ?? {};
  const times = { activity: activityText(lastActivityAt), asked };
  return { ...numbers, next: revisionText(revision), ...times, waits, take, turn };
};

const mailOf = ({ effects }: StateChange | UseChange): Mail | undefined => {
  const { put, send } = effects;
  if (put === undefined) return send && { send };
  const { take, withdraw = [] } = effects;
  const isUsed = send !== undefined || withdraw.length > 0 || (take?.messages ?? 0) > 0;
  return isUsed ? { send, withdraw } : undefined;
};

export const changeOf = (keys: SessionKeys, commit: StateChange | UseChange): Mutation => {
  const append = plainAppend(keys, commit);
  if (append !== undefined) return append;
  const { guards, effects } = commit;
  const { put, entries = [], events } = effects;
  const { operation, live } = guards;
  return changing(keys, {
    numbers: numbersOf(commit),
    operation,
    live,
    mail: mailOf(commit),
    lines: linesOf(entries),
    ...(put && {
      index: indexChangeOf(keys, put.previous, put.state),
      texts: [stateFields(put.state), labelsLine(put.state), stateLine(put.state)],
    }),
    events,
  });
};

export const moveOf = (keys: SessionKeys, { guards, effects }: Move): Mutation =>
  changing(keys, {
    numbers: { revision: revisionOf(guards.revision), dueAt: timeText(guards.dueAt) },
    index: { ...noChange, due: timeText(effects.dueAt) },
  });

export const clearing = (keys: SessionKeys): Mutation => changing(keys, { numbers: {}, mail: {} });

/** The remains have the format of a record, so that scripts change them like any session. */
const encodeRemains = (id: string, state: StateRecord): string => {
  const head = { id, options: noOptions, createdAt: new Date(0).toISOString() };
  return encodeRecord('0'.repeat(12), head, state, { sequence: 1, entries: 0, bytes: 0 });
};

export const removalOf = (
  keys: SessionKeys,
  keyspace: Keyspace,
  { guards, effects }: Pick<RemoveCommit, 'guards' | 'effects'>,
): Mutation => {
  const { tenant, id, isLeft, record, journal, operations, inbox } = keys;
  const { remains, events } = effects;
  const left = remains && keyspace.of({ tenant, id, removal: remains.removal });
  const data = isLeft ? [record, record, record] : [journal, operations, inbox];
  const [event] = events;
  return {
    script: writeScripts.remove,
    keys: [
      ...[record, ...data, keys.deadlines, keys.tenants, keys.work, keys.waiting],
      // A prefix of keys is passed as a key, so that clients add their own prefix.
      ...[keys.labels, left?.record ?? record],
      ...listsOf(keys),
    ],
    args: [
      ...[keys.idKey, keys.tenantKey, textOf(revisionOf(guards.revision))],
      ...[textOf(guards.unusedSince), event === undefined ? '' : eventText(keys, event)],
      ...[left?.idKey ?? '', remains ? dueText(remains.state) : ''],
      remains ? encodeRemains(id, remains.state) : '',
    ],
  };
};
