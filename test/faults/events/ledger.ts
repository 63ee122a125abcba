import type { SessionChange, SessionEvent, TenantChange } from '../../../src/index.js';

/** What one watcher was given, in its order; `again` where it came back to its last position. */
export type Given = SessionChange | TenantChange | { readonly type: 'again' };

export interface Verdict {
  readonly seen: number;
  /** Given twice without coming back in between. */
  readonly doubled: number;
  readonly outOfOrder: number;
  /** Snapshots but the first, or `events_lost`. */
  readonly gapsTold: number;
  /** In the stream, and neither given nor told as missing. */
  readonly missing: number;
}

const isEvent = (item: Given): item is SessionEvent =>
  item.type !== 'session.snapshot' &&
  item.type !== 'session.expiring' &&
  item.type !== 'events_lost' &&
  item.type !== 'again';

/**
 * Compares what a watcher was given with what stood in the stream. A snapshot makes up for all that is in it. After
 * `events_lost` the events of a session that follow on its last one before count as told.
 */
export const judge = (items: readonly Given[], told: ReadonlyMap<string, readonly SessionEvent[]>): Verdict => {
  const given = new Map<string, Map<number, number>>();
  let last = new Map<string, number>();
  let lastLoss = -1;
  const verdict = { seen: 0, doubled: 0, outOfOrder: 0, gapsTold: 0, missing: 0 };
  let snapshots = 0;
  let known = 0;
  for (const [at, item] of items.entries()) {
    if (item.type === 'again') last = new Map();
    if (item.type === 'events_lost') lastLoss = at;
    if (item.type === 'events_lost') verdict.gapsTold += 1;
    if (item.type === 'session.snapshot') {
      snapshots += 1;
      known = Math.max(known, item.sequence);
      last.set(item.session.id, item.sequence);
    }
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
  const isOfOne = snapshots > 0;
  verdict.gapsTold += Math.max(0, snapshots - 1);
  for (const [sessionId, events] of told) {
    const all = given.get(sessionId);
    if (isOfOne && all === undefined) continue;
    let lastGivenAt = -1;
    for (const { sequence } of events.toSorted((one, other) => one.sequence - other.sequence)) {
      const givenAt = all?.get(sequence);
      if (givenAt !== undefined) lastGivenAt = givenAt;
      else if (isOfOne ? sequence > known : lastLoss < lastGivenAt || lastLoss < 0) verdict.missing += 1;
    }
  }
  return verdict;
};
