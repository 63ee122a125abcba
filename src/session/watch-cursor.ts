import { digestOf } from './digest-of.js';
import type { Message } from './message.js';
import type { PositionedEntry } from './session.js';
import type { StateRecord } from './session-record.js';
import { workAt } from './work-state.js';

/**
 * The text of a cursor: `<sequence>-<start>-<position>-<digest of the state>-<digest of the last
 * entry>-<version of the history>`.
 */
export const watchCursorForm =
  /^(\d{1,15})-(\d{1,15})-(\d{1,15})-([0-9a-f]{8})-([0-9a-f]{8})-([\w.-]{1,64})$/;

/** What a watcher knows of a session. It contains nothing of other sessions. */
export interface WatchCursor {
  /** Number of the last change. */
  readonly sequence: number;
  /**
   * The position before the last entry; the next read begins there, to see that this entry is still
   * the same.
   */
  readonly start: number;
  readonly position: number;
  readonly state: string;
  readonly entry: string;
  readonly version: string;
}

const shortDigestOf = (value: unknown): string => digestOf(JSON.stringify(value)).slice(0, 8);

/**
 * A digest of the last entry of a history. A store that was restored from older data may contain
 * another entry at the same position.
 */
export const entryDigestOf = (entry: PositionedEntry | undefined): string => {
  if (entry === undefined) return shortDigestOf([]);
  const { position, role, timestamp, content, id } = entry;
  return shortDigestOf([position, role, timestamp, content, id]);
};

export interface Digested {
  readonly now: number;
  readonly messages: readonly Message[];
  readonly isWithLeases: boolean;
}

/**
 * A digest of what distinguishes two states, but for renewals of a lease and for uses of the
 * session. It covers leases that are taken and released only for a watch with `leases`; leases of
 * turns are work, and always covered.
 */
export const stateDigestOf = (
  state: StateRecord,
  { now, messages, isWithLeases }: Digested,
): string => {
  const { status, since, activeMs, limitMs, labels, metadata, budget, operations } = state;
  // Each lease moves the time at which waiting work is due.
  const work = { ...workAt(state, now), nextAt: undefined };
  const ids = messages.map(({ id }) => id);
  const own: unknown[] = [
    status,
    since,
    activeMs,
    limitMs,
    labels,
    metadata,
    operations[0],
    work,
    ids,
  ];
  if (budget !== undefined) own.push([budget.used, budget.limits]);
  const { lease } = state.work;
  return shortDigestOf(isWithLeases ? [...own, lease?.fencingToken, lease?.releasedAt] : own);
};

/**
 * Joined, because a template would keep all its parts in memory, and each waiting watch holds such
 * a text.
 */
export const cursorText = ({
  sequence,
  start,
  position,
  state,
  entry,
  version,
}: WatchCursor): string => [sequence, start, position, state, entry, version].join('-');

export const parseWatchCursor = (text: string): WatchCursor | undefined => {
  const [, sequence, start, position, state, entry, version] = watchCursorForm.exec(text) ?? [];
  if (state === undefined || entry === undefined || version === undefined) return undefined;
  return {
    sequence: Number(sequence),
    start: Number(start),
    position: Number(position),
    state,
    entry,
    version,
  };
};
