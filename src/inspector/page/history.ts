import { button, element, setText } from './dom.js';
import { entryItem } from './entry-item.js';
import { getHistory } from './requests.js';
import { asCount } from './text.js';

/** Number of entries that are shown at a time. */
const STEP = 200;

/** Pixels above the end at which the user still counts as being there. */
const END_PX = 40;

/**
 * Shows the history of a session: the latest entries first, older ones on demand, new ones as they arrive. It opens at its
 * end and stays there until the user scrolls back. New entries are read from the last known position, so none is read
 * twice or missed.
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
  /** Number of entries that have arrived since the user has left the end. */
  #unseen = 0;
  #drawn = 0;
  /** Number of entries in the whole history. */
  #total = 0;
  /** The position before the first entry that is shown; 0 if all are. */
  #start = 0;
  /** The position after the last one. */
  #position: number | undefined;
  #loading: Promise<string> | undefined;

  constructor(id: string) {
    this.#id = id;
    const bar = element('div', { class: 'history-bar' }, element('h3', {}, 'History'), this.#counts, this.#more);
    this.part.append(bar, this.#frame, this.#latest);
    this.#frame.addEventListener('scroll', () => this.#look());
    new ResizeObserver(() => this.#keepPlace()).observe(this.#frame);
    this.#showCounts();
  }

  /** Reads new entries. Returns an error message, or '' on success. */
  async update(total: number): Promise<string> {
    this.#total = total;
    const trouble = await this.#inTurn(() =>
      this.#position === undefined ? this.#begin() : this.#readOn(this.#position),
    );
    this.#showCounts();
    return trouble;
  }

  /** Runs one read after another. */
  async #inTurn(read: () => Promise<string>): Promise<string> {
    while (this.#loading !== undefined) await this.#loading;
    this.#loading = read();
    const trouble = await this.#loading;
    this.#loading = undefined;
    return trouble;
  }

  async #begin(): Promise<string> {
    const answer = await getHistory(this.#id, `last=${STEP}`);
    if (!answer.ok) return answer.message;
    const { entries, start, position } = answer.value;
    this.#start = start;
    this.#position = position;
    this.#drawn = entries.length;
    this.#list.replaceChildren(...entries.map(entryItem));
    this.#toEnd();
    return '';
  }

  /** Reads all entries after a position, part by part. */
  async #readOn(from: number): Promise<string> {
    for (const fresh of this.#list.querySelectorAll('.fresh')) fresh.classList.remove('fresh');
    for (let position = from; ; ) {
      const answer = await getHistory(this.#id, `after=${position}&limit=1000`);
      if (!answer.ok) return answer.message;
      const items = answer.value.entries.map(entryItem);
      for (const item of items) item.classList.add('fresh');
      this.#drawn += items.length;
      this.#list.append(...items);
      this.#unseen += items.length;
      this.#keepPlace();
      this.#position = position = answer.value.position;
      if (!answer.value.has_more) return '';
    }
  }

  async #showOlder(): Promise<void> {
    this.#more.disabled = true;
    await this.#inTurn(async () => {
      const answer = await getHistory(this.#id, `before=${this.#start}&limit=${STEP}`);
      if (!answer.ok) return answer.message;
      const { entries, start } = answer.value;
      this.#start = start;
      this.#drawn += entries.length;
      const fromEnd = this.#frame.scrollHeight - this.#frame.scrollTop;
      this.#list.prepend(...entries.map(entryItem));
      this.#frame.scrollTop = this.#frame.scrollHeight - fromEnd;
      return '';
    });
    this.#more.disabled = false;
    this.#showCounts();
  }

  #toEnd(): void {
    this.#frame.scrollTop = this.#frame.scrollHeight;
    this.#look();
  }

  #keepPlace(): void {
    if (this.#follows) this.#toEnd();
    else this.#showLatest();
  }

  #look(): void {
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
    const total = this.#start === 0 ? this.#drawn : Math.max(this.#total, this.#drawn);
    const entries = total === 1 ? '1 entry' : `${asCount(total)} entries`;
    setText(this.#counts, this.#drawn < total ? `The last ${asCount(this.#drawn)} of ${entries}` : entries);
    const left = total - this.#drawn;
    this.#more.hidden = left <= 0;
    setText(this.#more, `Show ${asCount(Math.min(STEP, Math.max(left, 1)))} older`);
  }
}
