import { element, setText } from './dom.js';
import { serverNow } from './server-clock.js';
import type { SessionDetail } from './session-row.js';
import { reasonOf } from './status-mark.js';
import { asCount, asDuration, asTime } from './text.js';

class Item {
  readonly line = element('li');
  readonly #time = element('time');
  readonly #label = element('span');

  constructor(at: string, label: string) {
    this.line.append(this.#time, this.#label);
    this.set(at, label);
  }

  set(at: string, label: string): void {
    this.#time.dateTime = this.#time.title = at;
    setText(this.#time, asTime(at));
    setText(this.#label, label);
  }
}

const labelsText = ({ labels }: SessionDetail): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ') || 'none';

const limitText = ({ options: { time_limit: limit } }: SessionDetail): string =>
  limit === 0 ? 'none' : asDuration(limit);

const differencesOf = (before: SessionDetail, after: SessionDetail): readonly string[] => {
  const found: string[] = [];
  if (before.status !== after.status && after.status === 'PAUSED') found.push('Paused');
  if (before.status === 'PAUSED' && after.status === 'ACTIVE') found.push('Resumed');
  if (limitText(before) !== limitText(after)) found.push(`Time limit: ${limitText(after)}`);
  if (labelsText(before) !== labelsText(after)) found.push(`Labels: ${labelsText(after)}`);
  if (JSON.stringify(before.metadata) !== JSON.stringify(after.metadata))
    found.push('Metadata changed');
  if (before.holder !== after.holder)
    found.push(after.holder ? `Leased by ${after.holder}` : `Released by ${before.holder}`);
  return found;
};

/**
 * Shows the times of a session, the changes since it was opened, and its end: the actual end, or
 * the latest possible end.
 */
export class Timeline {
  readonly list = element('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** Consecutive appends share one line. */
  #appends: { readonly item: Item; readonly count: number } | undefined;
  /** The time at which the time limit ends the session. */
  #limit: HTMLLIElement | undefined;
  #before: SessionDetail | undefined;

  show(session: SessionDetail): void {
    const before = this.#before;
    this.#before = session;
    if (before === undefined) this.#add(session.created_at, 'Created');
    const { started_at: startedAt, ended_at: endedAt } = session;
    if (startedAt !== undefined && before?.started_at === undefined)
      this.#add(startedAt, 'Started');
    const found = differencesOf(before ?? session, session);
    // Leases and updates don't count as activity, so they appear with the time of this read.
    const isActivity = session.updated_at !== before?.updated_at;
    const at = isActivity ? session.updated_at : new Date(serverNow()).toISOString();
    for (const text of found) this.#add(at, text);
    if (endedAt !== undefined && before?.ended_at === undefined) {
      const reason = reasonOf(session.end_reason);
      this.#add(endedAt, ['Terminated', reason].filter(Boolean).join(': '));
    }
    this.#showLimit(session);
  }

  addEntries(count: number, at: string): void {
    if (count === 0) return;
    const total = (this.#appends?.count ?? 0) + count;
    const item = this.#appends?.item ?? this.#add(at, '');
    item.set(at, total === 1 ? 'Entry appended' : `${asCount(total)} entries appended`);
    this.#appends = { item, count: total };
  }

  addRewrite({ updated_at: at }: SessionDetail): void {
    this.#add(at, 'History rewound or redacted');
  }

  #showLimit({ status, duration, options }: SessionDetail): void {
    this.#limit?.remove();
    this.#limit = undefined;
    if (status !== 'ACTIVE' || options.time_limit === 0) return;
    const end = new Date(serverNow() + (options.time_limit - duration) * 1000).toISOString();
    this.#limit = new Item(end, 'Time limit, unless it is paused').line;
    this.#limit.classList.add('later');
    this.list.append(this.#limit);
  }

  #add(at: string, label: string): Item {
    const item = new Item(at, label);
    this.#appends = undefined;
    this.list.insertBefore(item.line, this.#limit ?? null);
    return item;
  }
}
