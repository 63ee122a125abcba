import { element, setText } from './dom.js';
import { serverNow } from './server-clock.js';
import type { SessionDetail } from './session-row.js';
import { reasonOf } from './status-mark.js';
import { asCount, asDuration, asTime } from './text.js';

interface Item {
  readonly line: HTMLLIElement;
  readonly time: HTMLTimeElement;
  readonly label: HTMLSpanElement;
}

const itemOf = (at: string, label: string): Item => {
  const time = element('time', { datetime: at, title: at }, asTime(at));
  const text = element('span', {}, label);
  return { line: element('li', {}, time, text), time, label: text };
};

const labelsText = ({ labels }: SessionDetail): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ') || 'none';

const limitText = ({ options: { time_limit: limit } }: SessionDetail): string =>
  limit === 0 ? 'none' : asDuration(limit);

/** What differs between two states of a session. */
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
 * Shows the times that a session has, what has changed while it was shown, and its end: the actual
 * one, or the latest possible.
 */
export class Timeline {
  readonly list = element('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** Consecutive appends share one line. */
  #appends: { readonly item: Item; count: number } | undefined;
  /** The time at which the time limit ends the session. */
  #limit: HTMLLIElement | undefined;
  #before: SessionDetail | undefined;

  show(session: SessionDetail): void {
    const before = this.#before;
    this.#before = session;
    if (before === undefined) this.#put(itemOf(session.created_at, 'Created').line);
    const { started_at: startedAt, ended_at: endedAt } = session;
    if (startedAt !== undefined && before?.started_at === undefined)
      this.#put(itemOf(startedAt, 'Started').line);
    const found = differencesOf(before ?? session, session);
    // Leases and updates are no activity: they are shown with the time at which they were seen.
    const isActivity = session.updated_at !== before?.updated_at;
    const at = isActivity ? session.updated_at : new Date(serverNow()).toISOString();
    for (const text of found) this.#put(itemOf(at, text).line);
    if (endedAt !== undefined && before?.ended_at === undefined) {
      this.#put(
        itemOf(endedAt, ['Terminated', reasonOf(session.end_reason)].filter(Boolean).join(': '))
          .line,
      );
    }
    this.#showLimit(session);
  }

  /** Adds appends of entries. */
  addEntries(count: number, at: string): void {
    if (count === 0) return;
    if (this.#appends === undefined) {
      const item = itemOf(at, '');
      this.#put(item.line);
      this.#appends = { item, count: 0 };
    }
    this.#appends.count += count;
    const { item, count: total } = this.#appends;
    item.time.dateTime = at;
    item.time.title = at;
    setText(item.time, asTime(at));
    setText(item.label, total === 1 ? 'Entry appended' : `${asCount(total)} entries appended`);
  }

  /** Adds a rewind or a redaction. */
  addRewrite({ updated_at: at }: SessionDetail): void {
    this.#put(itemOf(at, 'History rewound or redacted').line);
  }

  #showLimit({ status, duration, options }: SessionDetail): void {
    this.#limit?.remove();
    this.#limit = undefined;
    if (status !== 'ACTIVE' || options.time_limit === 0) return;
    const end = new Date(serverNow() + (options.time_limit - duration) * 1000).toISOString();
    this.#limit = itemOf(end, 'Time limit, unless it is paused').line;
    this.#limit.classList.add('later');
    this.list.append(this.#limit);
  }

  #put(line: HTMLLIElement): void {
    this.#appends = undefined;
    this.list.insertBefore(line, this.#limit ?? null);
  }
}
