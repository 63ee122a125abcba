import { button, element, setText } from './dom.js';
import { entryItem } from './entry-item.js';
import { getHistory, type Outcome } from './requests.js';
import type { Entry, HistoryPart } from './sessions.js';
import { asCount } from './text.js';

/** Number of entries that are shown at a time. */
const STEP = 200;

/**
 * Shows the history of a session: the latest entries first, older ones on demand, new ones as they arrive. New entries
 * are read from the last known position, so none is read twice or missed.
 */
export class History {
  readonly part = element('section', { class: 'part', 'aria-label': 'History' });
  readonly #id: string;
  readonly #list = element('ol', { class: 'history' });
  readonly #counts = element('span');
  readonly #more = button(`Show ${STEP} older`, () => void this.#showOlder());
  #entries: readonly Entry[] = [];
  #drawn = 0;
  /** Number of entries in the whole history, if not all are loaded. */
  #total = 0;
  #isWhole = false;
  #position: number | undefined;
  #loading: Promise<string> | undefined;

  constructor(id: string) {
    this.#id = id;
    const bar = element('div', { class: 'history-bar' }, this.#counts, this.#more);
    this.part.append(element('h3', {}, 'History'), bar, this.#list);
    this.#showCounts();
  }

  /** Reads new entries. Returns an error message, or '' on success. Calls run one after another. */
  async update(total: number): Promise<string> {
    this.#total = total;
    while (this.#loading !== undefined) await this.#loading;
    this.#loading = this.#position === undefined ? this.#begin() : this.#readOn(this.#position);
    const trouble = await this.#loading;
    this.#loading = undefined;
    this.#showCounts();
    return trouble;
  }

  async #begin(): Promise<string> {
    const answer = await getHistory(this.#id, `last=${STEP}`);
    if (!answer.ok) return answer.message;
    const { entries, position } = answer.value;
    this.#entries = entries;
    this.#isWhole = entries.length < STEP;
    this.#position = position;
    this.#drawn = entries.length;
    this.#list.replaceChildren(...entries.map(entryItem));
    return '';
  }

  async #readOn(from: number): Promise<string> {
    const answer = await this.#readAll(from, (entries) => {
      this.#entries = [...this.#entries, ...entries];
      this.#drawn += entries.length;
      for (const fresh of this.#list.querySelectorAll('.fresh')) fresh.classList.remove('fresh');
      const items = entries.map(entryItem);
      for (const item of items) item.classList.add('fresh');
      this.#list.append(...items);
    });
    return answer.ok ? '' : answer.message;
  }

  /** Reads all entries after a position, part by part. */
  async #readAll(from: number, take: (entries: readonly Entry[]) => void): Promise<Outcome<HistoryPart>> {
    for (let position = from; ; ) {
      const answer = await getHistory(this.#id, `after=${position}&limit=1000`);
      if (!answer.ok) return answer;
      if (answer.value.entries.length > 0) take(answer.value.entries);
      this.#position = position = answer.value.position;
      if (!answer.value.has_more) return answer;
    }
  }

  /** Older entries can only be read from the beginning on, so this reads all of them once, and shows some at a time. */
  async #showOlder(): Promise<void> {
    this.#more.disabled = true;
    while (this.#loading !== undefined) await this.#loading;
    if (this.#drawn >= this.#entries.length && !this.#isWhole) {
      const known = this.#position;
      const all: Entry[] = [];
      const reading = this.#readAll(0, (entries) => all.push(...entries));
      this.#loading = reading.then((answer) => (answer.ok ? '' : answer.message));
      const isRead = (await this.#loading) === '';
      this.#loading = undefined;
      if (isRead) {
        // Entries that were appended during the read are at the end.
        this.#entries = all;
        this.#isWhole = true;
        this.#list.replaceChildren(...all.slice(-this.#drawn).map(entryItem));
      } else this.#position = known;
    }
    const end = this.#entries.length - this.#drawn;
    const older = this.#entries.slice(Math.max(0, end - STEP), end);
    this.#drawn += older.length;
    this.#list.prepend(...older.map(entryItem));
    this.#more.disabled = false;
    this.#showCounts();
  }

  #showCounts(): void {
    const total = this.#isWhole ? this.#entries.length : Math.max(this.#total, this.#entries.length);
    const entries = total === 1 ? '1 entry' : `${asCount(total)} entries`;
    setText(this.#counts, this.#drawn < total ? `The last ${asCount(this.#drawn)} of ${entries}` : entries);
    const left = total - this.#drawn;
    this.#more.hidden = left <= 0;
    setText(this.#more, `Show ${asCount(Math.min(STEP, Math.max(left, 1)))} older`);
  }
}
