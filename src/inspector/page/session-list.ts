import { elementById, setText } from './dom.js';
import { Filters } from './filters.js';
import { findSessions, labelsIn } from './find-sessions.js';
import { type ListQuery, listSessions } from './requests.js';
import { createListRow, type ListRow, markChosen } from './rows.js';
import { Search } from './search.js';
import type { SessionPage } from './session-row.js';
import { asCount } from './text.js';

const PAGE = 25;

const NOT_FOUND =
  'There is no session with this id. To search for a label, write its name and value as name:value.';

/** Lists the sessions page by page, with cursors, so that new sessions do not shift the pages. */
export class SessionList {
  readonly #body = elementById('rows', HTMLTableSectionElement);
  readonly #empty = elementById('empty', HTMLElement);
  readonly #range = elementById('range', HTMLElement);
  readonly #newer = elementById('newer', HTMLButtonElement);
  readonly #older = elementById('older', HTMLButtonElement);
  readonly #frame = elementById('rows-frame', HTMLElement);
  readonly #filters: Filters;
  readonly #search: Search;
  readonly #onTrouble: (message: string) => void;
  #lines: readonly ListRow[] = [];
  /** The cursors of the pages up to this one. */
  #cursors: readonly string[] = [];
  #next: string | undefined;
  #chosen: string | undefined;
  /** Number of requests so far: only the latest answer is shown. */
  #requests = 0;

  constructor(onTrouble: (message: string) => void) {
    this.#onTrouble = onTrouble;
    this.#filters = new Filters(() => this.#turn([]));
    this.#search = new Search(() => {
      // A search by id finds sessions of every status.
      this.#filters.isDisabled =
        this.#search.text !== '' && labelsIn(this.#search.text) === undefined;
      this.#turn([]);
      void this.#filters.refresh(this.#within);
    });
    this.#newer.addEventListener('click', () => this.#turn(this.#cursors.slice(0, -1)));
    this.#older.addEventListener('click', () => {
      if (this.#next !== undefined) this.#turn([...this.#cursors, this.#next]);
    });
    document.addEventListener('keydown', (event) => this.#onKey(event));
  }

  async refresh(): Promise<void> {
    void this.#filters.refresh(this.#within);
    await this.#load();
  }

  choose(id: string | undefined): void {
    this.#chosen = id;
    for (const line of this.#lines) markChosen(line, line.id === id);
  }

  /** Moves the focus to the row of a session, or to the first row. */
  focus(id: string | undefined): void {
    const line = this.#lines.find((candidate) => candidate.id === id) ?? this.#lines[0];
    line?.link.focus();
  }

  /** The filters count within the days and the labels of the search. */
  get #within(): ListQuery {
    const labels = labelsIn(this.#search.text);
    return { ...this.#search.query, ...(labels && { labels }) };
  }

  #turn(cursors: readonly string[]): void {
    this.#cursors = cursors;
    void this.#load();
  }

  async #load(): Promise<void> {
    this.#requests += 1;
    const request = this.#requests;
    const cursor = this.#cursors.at(-1);
    const { text, query: days } = this.#search;
    const chosen = { ...days, ...this.#filters.query };
    const query = { limit: String(PAGE), ...chosen, ...(cursor && { cursor }) };
    const answer = await (text === '' ? listSessions(query) : findSessions(text, query));
    if (request !== this.#requests) return;
    if (!answer.ok) return this.#onTrouble(answer.message);
    this.#onTrouble('');
    this.#show(answer.value);
  }

  #show({ sessions, total, next, unreadable }: SessionPage): void {
    const known = new Map(this.#lines.map((line) => [line.id, line]));
    const focused = this.#lines.find(({ link }) => link === document.activeElement);
    this.#lines = sessions.map((session) => {
      const line = known.get(session.id);
      line?.update(session);
      return line ?? createListRow(session);
    });
    const isSame = this.#lines.every(({ row }, index) => this.#body.children[index] === row);
    if (!isSame || this.#body.children.length !== this.#lines.length) {
      this.#body.replaceChildren(...this.#lines.map(({ row }) => row));
      // An element that is inserted again loses the focus.
      if (focused?.row.isConnected) focused.link.focus({ preventScroll: true });
    }
    this.choose(this.#chosen);
    this.#next = next;
    this.#showRange(total, unreadable);
  }

  #showRange(total: number, unreadable: number): void {
    const before = this.#cursors.length * PAGE;
    const { length } = this.#lines;
    const damaged = unreadable === 0 ? '' : ` · ${unreadable} unreadable`;
    const range = length === 0 ? '0' : `${asCount(before + 1)}–${asCount(before + length)}`;
    setText(this.#range, `${range} of ${asCount(total)}${damaged}`);
    this.#empty.hidden = length > 0;
    const isSearch = this.#search.text !== '' && !('status' in this.#filters.query);
    setText(this.#empty, isSearch ? NOT_FOUND : this.#nothing(before > 0));
    this.#newer.disabled = this.#cursors.length === 0;
    this.#older.disabled = this.#next === undefined;
  }

  #nothing(isLaterPage: boolean): string {
    const hasDays = Object.keys(this.#search.query).length > 0;
    const parts = [
      `There are no ${this.#filters.label}sessions`,
      hasDays && 'of these days',
      isLaterPage && 'on this page',
    ];
    return `${parts.filter(Boolean).join(' ')}.`;
  }

  /**
   * `j`, `k` and `/` work wherever no text is typed, the other keys where nothing else uses them.
   */
  #onKey(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLInputElement)
      return;
    if (document.querySelector('dialog[open]') !== null) return;
    const isFree =
      target === document.body || (target instanceof Node && this.#frame.contains(target));
    if (!isFree && !'jk/'.includes(key)) return;
    const move = this.#moveOf(key);
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  #moveOf(key: string): (() => void) | undefined {
    if (key === '/') return () => this.#search.focus();
    const focused = this.#lines.findIndex(({ link }) => link === document.activeElement);
    const at = focused < 0 ? this.#lines.findIndex(({ id }) => id === this.#chosen) : focused;
    const last = this.#lines.length - 1;
    const [next, previous] = [at + 1, at - 1];
    const targets: Readonly<Record<string, number>> = {
      ...{ j: next, ArrowDown: next, k: previous, ArrowUp: previous },
      ...{ Home: 0, End: last },
    };
    const target = targets[key];
    if (target === undefined) return undefined;
    return () => this.#lines[Math.min(Math.max(target, 0), last)]?.link.focus();
  }
}
