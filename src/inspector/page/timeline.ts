import { element, setText } from './dom.js';
import type { Change, SessionDetail } from './sessions.js';
import { reasonOf } from './status-mark.js';
import { asCount, asTime } from './text.js';

const titles: Readonly<Record<string, string>> = {
  'session.created': 'Created',
  'session.started': 'Started',
  'session.paused': 'Paused',
  'session.resumed': 'Resumed',
  'session.terminated': 'Terminated',
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

/** Shows the known changes of a session with their times. */
export class Timeline {
  readonly list = element('ol', { class: 'timeline', 'aria-label': 'Timeline' });
  /** Consecutive appends share one line. */
  #appends: { readonly item: Item; count: number } | undefined;

  /** Adds the creation, which is known even if its event was trimmed. */
  begin({ created_at: createdAt }: SessionDetail): void {
    if (this.list.childElementCount === 0) this.list.append(itemOf(createdAt, 'Created').line);
  }

  add({ type, at, end_reason: endReason }: Change): void {
    if (type === 'session.created') return;
    if (type === 'session.appended') {
      this.#addAppend(at);
      return;
    }
    this.#appends = undefined;
    const reason = endReason === undefined ? '' : `: ${reasonOf(endReason)}`;
    this.list.append(itemOf(at, `${titles[type] ?? type}${reason}`).line);
  }

  /** Adds a change that was noticed by polling: its time is unknown. */
  notice(label: string): void {
    this.#appends = undefined;
    this.list.append(element('li', {}, element('time', {}, 'noticed'), element('span', {}, label)));
  }

  #addAppend(at: string): void {
    if (this.#appends === undefined) {
      this.#appends = { item: itemOf(at, 'Appended'), count: 0 };
      this.list.append(this.#appends.item.line);
    }
    this.#appends.count += 1;
    const { item, count } = this.#appends;
    item.time.dateTime = at;
    item.time.title = at;
    setText(item.time, asTime(at));
    if (count > 1) setText(item.label, `Appended, ${asCount(count)} times in a row`);
  }
}
