import { button, element, setText } from './dom.js';
import { entryItem } from './entry-item.js';
import { getHistory } from './requests.js';
import type { Entry } from './session-row.js';
import { asCount } from './text.js';

/** Number of entries that are shown at a time. */
const STEP = 200;

/** Pixels above the end at which the user still counts as at the end. */
const END_PX = 40;

/**
 * Shows the history of a session: the latest entries first, older entries on demand, new entries as
 * they arrive. It opens at its end and stays there until the user scrolls back. New entries are
 * read from the last known position, so no entry is read twice or missed. The last shown entry is
 * read again, to find out whether it was superseded.
 */
export class History {
  readonly part = element('section', { class: 'conversation', 'aria-label': 'History' });
  readonly #id: string;
  readonly #list = element('ol', { class: 'history' });
  readonly #frame = element(
    'div',
    { class: 'entries', tabindex: '0', role: 'group', 'aria-label': 'Entries' },
    this.#list,
  );
  readonly #latest = button('', () => this.#toEnd(), { class: 'latest', hidden: '' });
  readonly #counts = element('span');
  readonly #more = button(`Show ${STEP} older`, () => void this.#showOlder());
  /** Whether the user is at the end. */
  #follows = true;
  /** Number of entries that have arrived since the user left the end. */
  #unseen = 0;
  #positions: readonly number[] = [];
  /** Number of entries in the complete history. */
  #total = 0;
  /** The position before the first entry that is shown; 0 if all are. */
  #start = 0;
  /** The position after the last one. */
  #position: number | undefined;
  #loading: Promise<string> | undefined;

  constructor(id: string) {
    this.#id = id;
    const bar = element(
      'div',
      { class: 'history-bar' },
      element('h3', {}, 'History'),
      this.#counts,
      this.#more,
    );
    this.part.append(bar, this.#frame, this.#latest);
    this.#frame.addEventListener('scroll', () => this.#onScroll());
    new ResizeObserver(() => this.#keepPlace()).observe(this.#frame);
    this.#showCounts();
  }

  /** Reads new entries. Returns an error message, or '' on success. */
  async update(total: number): Promise<string> {
    return this.#oneByOne(total, () => this.#readOn());
  }

  /** Reads the end of the history again. Returns an error message, or '' on success. */
  async reload(total: number): Promise<string> {
    return this.#oneByOne(total, () => this.#begin());
  }

  /**
   * Adds new entries, unless they are already shown. Returns an error message, or '' on success.
   */
  async add(total: number, entries: readonly Entry[]): Promise<string> {
    return this.#oneByOne(total, async () => {
      const position = this.#position;
      if (position === undefined) return this.#begin();
      this.#clearFresh();
      this.#add(entries.filter((entry) => entry.position > position));
      this.#position = Math.max(position, entries.at(-1)?.position ?? 0);
      return '';
    });
  }

  /** Runs one read after another. Returns an error message, or '' on success. */
  async #oneByOne(total: number, read: () => Promise<string>): Promise<string> {
    this.#total = total;
    while (this.#loading !== undefined) await this.#loading;
    this.#loading = read();
    const trouble = await this.#loading;
    this.#loading = undefined;
    this.#showCounts();
    return trouble;
  }

  async #begin(): Promise<string> {
    const answer = await getHistory(this.#id, `last=${STEP}`);
    if (!answer.ok) return answer.message;
    const { entries, start, position } = answer.value;
    this.#start = start;
    this.#position = position;
    this.#positions = entries.map((entry) => entry.position);
    this.#list.replaceChildren(...entries.map(entryItem));
    this.#toEnd();
    return '';
  }

  async #readOn(): Promise<string> {
    if (this.#position === undefined) return this.#begin();
    this.#clearFresh();
    // From the entry before the last shown entry, or from before all of them.
    const last = this.#positions.at(-1);
    let position = this.#position;
    if (last !== undefined) position = this.#positions.at(-2) ?? this.#start;
    for (let isFirst = last !== undefined; ; isFirst = false) {
      const answer = await getHistory(this.#id, `after=${position}&limit=1000`);
      if (!answer.ok) return answer.message;
      const { entries, has_more: hasMore } = answer.value;
      if (isFirst && entries[0]?.position !== last) return this.#begin();
      this.#add(isFirst ? entries.slice(1) : entries);
      this.#position = position = answer.value.position;
      if (!hasMore) return '';
    }
  }

  #clearFresh(): void {
    for (const fresh of this.#list.querySelectorAll('.fresh')) fresh.classList.remove('fresh');
  }

  #add(entries: readonly Entry[]): void {
    const items = entries.map(entryItem);
    for (const item of items) item.classList.add('fresh');
    this.#positions = [...this.#positions, ...entries.map((entry) => entry.position)];
    this.#list.append(...items);
    this.#unseen += items.length;
    this.#keepPlace();
  }

  async #showOlder(): Promise<void> {
    this.#more.disabled = true;
    await this.#oneByOne(this.#total, async () => {
      const answer = await getHistory(this.#id, `before=${this.#start}&limit=${STEP}`);
      if (!answer.ok) return answer.message;
      const { entries, start } = answer.value;
      this.#start = start;
      this.#positions = [...entries.map((entry) => entry.position), ...this.#positions];
      const fromEnd = this.#frame.scrollHeight - this.#frame.scrollTop;
      this.#list.prepend(...entries.map(entryItem));
      this.#frame.scrollTop = this.#frame.scrollHeight - fromEnd;
      return '';
    });
    this.#more.disabled = false;
  }

  #toEnd(): void {
    this.#frame.scrollTop = this.#frame.scrollHeight;
    this.#onScroll();
  }

  #keepPlace(): void {
    if (this.#follows) this.#toEnd();
    else this.#showLatest();
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#frame;
    this.#follows = scrollTop + clientHeight > scrollHeight - END_PX;
    if (this.#follows) this.#unseen = 0;
    this.#showLatest();
  }

  #showLatest(): void {
    this.#latest.hidden = this.#follows;
    setText(this.#latest, this.#unseen === 0 ? 'Latest ↓' : `${asCount(this.#unseen)} new ↓`);
  }

  #showCounts(): void {
    const { length } = this.#positions;
    const total = this.#start === 0 ? length : Math.max(this.#total, length);
    const entries = total === 1 ? '1 entry' : `${asCount(total)} entries`;
    setText(this.#counts, length < total ? `The last ${asCount(length)} of ${entries}` : entries);
    const left = total - length;
    this.#more.hidden = left <= 0;
    setText(this.#more, `Show ${asCount(Math.min(STEP, Math.max(left, 1)))} older`);
  }
}
