import { nanoid } from 'nanoid';
import { type EventDetail, openingDetailsOf } from '../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistoryUntil, endsAt } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import type {
  DueKey,
  HistoryAppend,
  Opening,
  Remains,
  Removal,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { type LabelChange, labelChangeOf } from '../shared/label-change.js';
import { labelText } from '../shared/label-texts.js';
import { finite, NEVER } from '../shared/never.js';
import { encodeEntry, encodeHead, encodeState } from '../shared/stored-json.js';
import { storedKeyOf } from '../sql/queue-query.js';

/*
 * The changes as the procedure change_all takes them: the fields of its type `change`. A field that
 * is undefined is null there.
 */

/** The columns of a state. */
const columnsOf = (state: StateRecord) => ({
  status: state.status,
  deadline: finite(endsAt(state)),
  accepts_until: finite(acceptsHistoryUntil(state)),
  grace: state.terms.graceMs,
  fencing_token: state.work.lease?.fencingToken ?? 0,
  leased_until: state.work.lease?.until ?? 0,
  wake_at: finite(wakeAtOf(state)),
  wanted_at: finite(state.work.wakeAt ?? NEVER),
  report_at: state.report?.dueAt,
  limit_ms: finite(state.limitMs),
  limit_end: state.status === 'ACTIVE' ? finite(state.deadline) : undefined,
  inactivity: finite(state.terms.inactivityTimeoutMs),
  last_activity: state.lastActivityAt,
  revision: state.revision,
  state: encodeState(state, state.labels),
});

/** Undefined for no labels. */
const labelTextsOf = (labels: LabelChange['added']): readonly string[] | undefined =>
  labels.length === 0 ? undefined : labels.map(([name, value]) => labelText(name, value));

const labelsOf = ({ added, lost }: LabelChange) => ({
  labels_added: labelTextsOf(added),
  labels_lost: labelTextsOf(lost),
});

const detailsOf = (...details: readonly EventDetail[]): readonly string[] =>
  details.map((detail) => JSON.stringify(detail));

export const insertInput = (
  tenant: string,
  head: SessionHead,
  state: StateRecord,
  opening: Opening | undefined,
) => {
  const { entries = [], source, cap }: Partial<Opening> = opening ?? {};
  const details = openingDetailsOf(head.createdAt, opening && state, entries.length || undefined);
  return {
    kind: 'insert',
    ...storedKeyOf({ tenant, id: head.id }),
    ...columnsOf(state),
    ...labelsOf(labelChangeOf({}, state)),
    created_ms: Date.parse(head.createdAt),
    incarnation: nanoid(12),
    head: encodeHead(head),
    details: detailsOf(...details),
    entries: entries.map(encodeEntry),
    source: source && escapeName(source.id),
    version: source?.version,
    live_limit: cap?.sessions,
    now: cap?.now,
  } as const;
};

/** What is left of a removed session, as an insert that no list finds. */
const remainsInput = (key: SessionKey, { removal, state }: Remains) => ({
  ...storedKeyOf({ ...key, removal }),
  ...columnsOf(state),
  created_ms: 0,
  incarnation: '',
  head: '',
  details: [],
  entries: [],
});

export const replaceInput = (
  key: DueKey,
  previous: StateRecord,
  next: StateRecord,
  { event, cap, unusedSince }: ReplaceOptions,
) =>
  ({
    kind: 'replace',
    ...storedKeyOf(key),
    ...columnsOf(next),
    ...labelsOf(labelChangeOf(previous, next)),
    previous: previous.revision,
    unused_since: unusedSince,
    details: event ? detailsOf(event) : [],
    live_limit: cap?.sessions,
    now: cap?.now,
  }) as const;

export const appendInput = (key: SessionKey, append: HistoryAppend) =>
  ({
    kind: 'append',
    ...storedKeyOf(key),
    now: append.now,
    entries: append.entries.map(encodeEntry),
    operation: append.operation?.id,
    digest: append.operation?.digest,
    fencing_token: append.fencingToken,
    if_position: append.ifPosition,
    after: append.after,
    max_entries: append.maxEntries,
    revision: append.wake?.revision,
  }) as const;

/** `texts` are the redacted entries at the positions that have one. */
export const redactInput = (
  key: SessionKey,
  incarnation: string,
  texts: ReadonlyMap<number, string>,
  detail: EventDetail,
) =>
  ({
    kind: 'redact',
    ...storedKeyOf(key),
    incarnation,
    positions: [...texts.keys()],
    entries: [...texts.values()],
    details: detailsOf(detail),
  }) as const;

export const removeInput = (
  key: DueKey,
  { revision, unusedSince, now = Date.now(), remains }: Removal,
) =>
  ({
    kind: 'remove',
    ...storedKeyOf(key),
    previous: revision,
    unused_since: unusedSince,
    remains: remains && remainsInput(key, remains),
    details: key.removal === undefined ? detailsOf({ type: 'deleted', at: now }) : [],
  }) as const;

export const rescheduleInput = (key: DueKey, { from, to, isDamaged = false }: Rescheduling) =>
  ({
    kind: 'reschedule',
    ...storedKeyOf(key),
    due_from: finite(from),
    due_to: finite(to),
    is_free: isDamaged || key.removal !== undefined,
  }) as const;

export type ChangeInput =
  | ReturnType<typeof insertInput>
  | ReturnType<typeof replaceInput>
  | ReturnType<typeof appendInput>
  | ReturnType<typeof redactInput>
  | ReturnType<typeof removeInput>
  | ReturnType<typeof rescheduleInput>;
