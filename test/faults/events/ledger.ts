import type {
  HistoryEntry,
  SessionChange,
  SessionEvent,
  TenantChange,
  TenantEvent,
} from '../../../src/index.js';

/** What a watcher was given, in its order; `again` where it came back after its last item. */
export type Given<T> = T | { readonly type: 'again' };

export interface Verdict {
  readonly seen: number;
  /** Given twice without coming back in between. */
  readonly doubled: number;
  readonly outOfOrder: number;
  /** `events_lost`, or snapshots but the first. */
  readonly gapsTold: number;
  /** In the stream, and neither given nor told as missing. */
  readonly missing: number;
}

const isEvent = (item: Given<TenantChange>): item is TenantEvent =>
  item.type !== 'events_lost' && item.type !== 'again';

/**
 * Compares what a watcher of all sessions was given with what stood in the stream. After
 * `events_lost` the events of a session that follow on its last one before count as told.
 */
export const judge = (
  items: readonly Given<TenantChange>[],
  told: ReadonlyMap<string, readonly SessionEvent[]>,
): Verdict => {
  const given = new Map<string, Map<number, number>>();
  let last = new Map<string, number>();
  let lastLoss = -1;
  const verdict = { seen: 0, doubled: 0, outOfOrder: 0, gapsTold: 0, missing: 0 };
  for (const [at, item] of items.entries()) {
    if (item.type === 'again') last = new Map();
    if (item.type === 'events_lost') lastLoss = at;
    if (item.type === 'events_lost') verdict.gapsTold += 1;
    if (!isEvent(item)) continue;
    const { sessionId, sequence } = item;
    const before = last.get(sessionId) ?? 0;
    const all = given.get(sessionId) ?? new Map<number, number>();
    given.set(sessionId, all);
    verdict.seen += 1;
    if (sequence <= before) verdict[all.has(sequence) ? 'doubled' : 'outOfOrder'] += 1;
    last.set(sessionId, Math.max(before, sequence));
    if (!all.has(sequence)) all.set(sequence, at);
  }
  for (const [sessionId, events] of told) {
    const all = given.get(sessionId);
    let lastGivenAt = -1;
    for (const { sequence } of events.toSorted((one, other) => one.sequence - other.sequence)) {
      const givenAt = all?.get(sequence);
      if (givenAt !== undefined) lastGivenAt = givenAt;
      else if (lastLoss < lastGivenAt || lastLoss < 0) verdict.missing += 1;
    }
  }
  return verdict;
};

/** Compares what a watcher of one session was given with its whole history at the end. */
export const judgeSession = (
  items: readonly Given<SessionChange>[],
  history: readonly HistoryEntry[],
): Verdict => {
  const verdict = { seen: 0, doubled: 0, outOfOrder: 0, gapsTold: -1, missing: 0 };
  let known: HistoryEntry[] = [];
  let last = 0;
  for (const item of items) {
    if (item.type === 'session.snapshot') {
      verdict.gapsTold += 1;
      known = [...item.session.history];
      last = item.position;
    }
    if (item.type !== 'session.changed') continue;
    verdict.seen += 1;
    for (const { position, ...entry } of item.entries) {
      if (position <= last) verdict.doubled += 1;
      last = position;
      known.push(entry);
    }
  }
  verdict.missing = history.length - known.length;
  verdict.outOfOrder = history.filter((entry, at) => entry.content !== known[at]?.content).length;
  return verdict;
};
