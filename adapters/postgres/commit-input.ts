import { nanoid } from 'nanoid';
import { fencingTokenOf } from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { deadlineOf, endsAt } from '../../src/session/time-limits.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import {
  type BeginCommit,
  type ChangeCommit,
  type EventPart,
  type InboxEffects,
  isMove,
  isRedaction,
  type Move,
  type Redaction,
  type RemoveCommit,
  type StateChange,
  type UseChange,
} from '../../src/store/commit.js';
import { takenBy } from '../../src/store/judge.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { bytesOfEntries } from '../sql/session-rows.js';
import { escapeName } from '../stored/escape-name.js';
import { finite, NEVER } from '../stored/infinite-times.js';
import { encodeEntry, encodeHead, encodeState } from '../stored/json.js';
import { type LabelChange, labelChangeOf, labelText } from '../stored/labels.js';

/*
 * The commits as the procedure commit_all accepts them: the fields of its type `commit`, in which
 * undefined becomes null. Most objects are one literal, because copying objects would take longer
 * than all the rest.
 */

/** When a worker may claim a session in which no message waits. */
const retryAtOf = (state: StateRecord): number => {
  const { askedAt, ...work } = state.work;
  return wakeAtOf(askedAt === undefined ? state : { ...state, work });
};

const noLabels: LabelChange = { added: [], lost: [] };

const labelTextsOf = (labels: LabelChange['added']): readonly string[] | undefined =>
  labels.length === 0 ? undefined : labels.map(([name, value]) => labelText(name, value));

const putOf = (state: StateRecord, wakeAt = wakeAtOf(state)) => ({
  status: state.status,
  deadline: finite(endsAt(state)),
  report_at: state.report?.dueAt,
  fencing_token: fencingTokenOf(state),
  leased_until: state.work.lease?.until ?? 0,
  wake_at: finite(wakeAt),
  asked_at: finite(state.work.askedAt ?? NEVER),
  inbox: state.work.inbox ?? 0,
  retry_at: finite(retryAtOf(state)),
  limit_end: state.status === 'ACTIVE' ? finite(deadlineOf(state)) : undefined,
  inactivity: finite(state.terms.inactivityTimeoutMs),
  last_activity: state.lastActivityAt,
  revision: state.revision,
  state: encodeState(state, state.labels),
});

/** What is left of a removed session waits for no worker. */
const remainsPutOf = (state: StateRecord) => putOf(state, NEVER);

/** The procedure adds the positions of an append. */
const eventTextOf = (event: EventPart): string => {
  const text = JSON.stringify(event);
  return event.type === 'appended' ? text.slice(0, -1) : text;
};

/** A number that cannot be a position becomes a position after every end. */
const positionOf = (position: number | undefined): number | undefined =>
  position === undefined || Number.isSafeInteger(position) ? position : NEVER;

export const beginInput = ({ key, guards: { source, live }, effects }: BeginCommit) => {
  const { tenant, id } = storedKeyOf(key);
  const entries = effects.entries.map(encodeEntry);
  return {
    kind: 'begin',
    tenant,
    id,
    source: source && escapeName(source.id),
    version: source?.version,
    live_limit: live?.sessions,
    live_at: live?.now,
    created_ms: Date.parse(effects.head.createdAt),
    incarnation: nanoid(12),
    head: encodeHead(effects.head),
    put: putOf(effects.state),
    labels_added: labelTextsOf(labelChangeOf({}, effects.state).added),
    entries,
    bytes: bytesOfEntries(entries),
    events: effects.events.map(eventTextOf),
  } as const;
};

const putIn = ({ key, effects: { put } }: StateChange | UseChange) => {
  if (put === undefined) return undefined;
  const isLeft = 'removal' in key && key.removal !== undefined;
  return isLeft ? remainsPutOf(put.state) : putOf(put.state);
};

const inboxIn = ({ guards, effects }: StateChange | UseChange) => {
  const { send, put } = effects;
  const { take, withdraw }: InboxEffects = put === undefined ? {} : effects;
  if ([guards.inbox, send, take, withdraw].every((part) => part === undefined)) return undefined;
  return {
    most_waiting: guards.inbox,
    message: send?.entry.id,
    digest: send?.digest,
    entry: send && encodeEntry(send.entry),
    asked_at: put === undefined ? effects.send?.at : undefined,
    revision: put === undefined ? effects.send?.revision : undefined,
    withdraw,
    take: take?.messages,
    turn: take?.turn,
  };
};

/** The procedure counts the entries of the change, but not the messages that it takes. */
const mostEntriesIn = ({ guards, effects }: StateChange | UseChange): number | undefined =>
  guards.entries === undefined ? undefined : guards.entries - takenBy(effects);

const stateInput = (commit: StateChange | UseChange) => {
  const { guards, effects } = commit;
  const { tenant, id } = storedKeyOf(commit.key);
  const { activity, spend } =
    effects.put === undefined ? effects : { activity: undefined, spend: undefined };
  const entries = effects.entries?.map(encodeEntry) ?? [];
  const labels = effects.put ? labelChangeOf(effects.put.previous, effects.put.state) : noLabels;
  return {
    kind: 'change',
    tenant,
    id,
    operation: guards.operation?.id,
    digest: guards.operation?.digest,
    revision: guards.revision,
    unused_since: guards.unusedSince,
    open_at: guards.open,
    over_at: guards.over,
    fencing_token: guards.fence?.token,
    fenced_at: guards.fence?.now,
    if_end: positionOf(guards.end),
    most_entries: mostEntriesIn(commit),
    live_limit: guards.live?.sessions,
    live_at: guards.live?.now,
    put: putIn(commit),
    labels_added: labelTextsOf(labels.added),
    labels_lost: labelTextsOf(labels.lost),
    truncate_to: positionOf(effects.truncate),
    entries,
    bytes: bytesOfEntries(entries),
    activity,
    spend,
    inbox: inboxIn(commit),
    events: effects.events.map(eventTextOf),
  } as const;
};

const moveInput = ({ key, guards, effects }: Move) =>
  ({
    kind: 'move',
    ...storedKeyOf(key),
    revision: guards.revision,
    due_at: finite(guards.dueAt),
    due_to: finite(effects.dueAt),
  }) as const;

const redactInput = ({ key, effects: { redact: positions, at } }: Redaction) =>
  ({
    kind: 'redact',
    ...storedKeyOf(key),
    positions: positions.map(positionOf),
    events: [eventTextOf({ type: 'redacted', at, positions })],
  }) as const;

export const changeInput = (commit: ChangeCommit) => {
  if (isMove(commit)) return moveInput(commit);
  return isRedaction(commit) ? redactInput(commit) : stateInput(commit);
};

const remainsOf = ({ key, effects: { remains } }: RemoveCommit) => {
  if (remains === undefined) return {};
  const { tenant, id } = storedKeyOf({ ...key, removal: remains.removal });
  const put = remainsPutOf(remains.state);
  const none = { created_ms: 0, incarnation: '', head: '', entries: [], bytes: 0 };
  return { remains_tenant: tenant, remains_id: id, put, ...none };
};

export const removeInput = (commit: RemoveCommit) =>
  ({
    kind: 'remove',
    ...storedKeyOf(commit.key),
    revision: commit.guards.revision,
    unused_since: commit.guards.unusedSince,
    ...remainsOf(commit),
    events: commit.effects.events.map(eventTextOf),
  }) as const;

export type CommitInput =
  | ReturnType<typeof beginInput>
  | ReturnType<typeof changeInput>
  | ReturnType<typeof removeInput>;
