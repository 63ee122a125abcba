import { element, setText } from './dom.js';
import { serverNow } from './server-clock.js';
import type { Change, SessionDetail } from './session-row.js';
import { reasonOf } from './status-mark.js';
import { asCount, asDuration, asTime } from './text.js';

const titles: Readonly<Record<string, string>> = {
  'session.created': 'Created',
  'session.started': 'Started',
  'session.paused': 'Paused',
  'session.resumed': 'Resumed',
  'session.leased': 'Leased',
  'session.released': 'Released',
  'session.redacted': 'Entries redacted',
  'session.deleted': 'Deleted',
};

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

const endOf = (endReason: string | undefined): string =>
  endReason === undefined ? 'Terminated' : `Terminated: ${reasonOf(endReason)}`;

const textOfLabels = (labels: Change['labels'] = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ') || 'none';

/** Shows the known changes of a session with their times, and its end: the actual one, or the latest possible. */
export class Timeline {
  readonly list = element('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** Consecutive appends share one line. */
  #appends: { readonly item: Item; count: number } | undefined;
  /** The time at which the time limit ends the session. */
  #limit: HTMLLIElement | undefined;
  #hasEnd = false;

  /** Updates the expected end. The creation is shown even if its event was trimmed. */
  show({ created_at: createdAt, status, duration, options }: SessionDetail): void {
    if (this.list.childElementCount === 0) this.#put(itemOf(createdAt, 'Created').line);
    const hasLimit = status === 'ACTIVE' && options.time_limit > 0;
    const end = new Date(serverNow() + (options.time_limit - duration) * 1000).toISOString();
    const limit = hasLimit ? itemOf(end, 'Time limit, unless it is paused').line : undefined;
    limit?.classList.add('later');
    this.#limit?.remove();
    this.#limit = limit;
    if (limit !== undefined) this.list.append(limit);
  }

  add({ type, at, after, end_reason: endReason, holder, time_limit: timeLimit, labels }: Change): void {
    if (type === 'session.created') return;
    if (type === 'session.appended') {
      if (after === undefined) this.#addAppend(at);
      else this.#put(itemOf(at, after === 0 ? 'Cleared' : 'Rewound').line);
      return;
    }
    this.#hasEnd ||= type === 'session.terminated';
    let title = titles[type] ?? type;
    if (type === 'session.terminated') title = endOf(endReason);
    if (type === 'session.extended') title = `Time limit: ${timeLimit === 0 ? 'none' : asDuration(timeLimit ?? 0)}`;
    if (type === 'session.updated') title = `Labels: ${textOfLabels(labels)}`;
    this.#put(itemOf(at, holder === undefined ? title : `${title} by ${holder}`).line);
  }

  /** Adds a change that was noticed by polling: its time is unknown. */
  notice(label: string, time = 'noticed'): void {
    this.#put(element('li', {}, element('time', {}, time), element('span', {}, label)));
  }

  /** Adds the end of a session, if no event has shown it. */
  finish({ status, end_reason: endReason }: SessionDetail, time?: string): void {
    if (status !== 'TERMINATED' || this.#hasEnd) return;
    this.#hasEnd = true;
    this.notice(endOf(endReason), time);
  }

  #put(line: HTMLLIElement): void {
    this.#appends = undefined;
    this.list.insertBefore(line, this.#limit ?? null);
  }

  #addAppend(at: string): void {
    if (this.#appends === undefined) {
      const item = itemOf(at, 'Appended');
      this.#put(item.line);
      this.#appends = { item, count: 0 };
    }
    this.#appends.count += 1;
    const { item, count } = this.#appends;
    item.time.dateTime = at;
    item.time.title = at;
    setText(item.time, asTime(at));
    if (count > 1) setText(item.label, `Appended, ${asCount(count)} times in a row`);
  }
}
