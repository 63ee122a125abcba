import { elementById, setText } from './dom.js';
import { Filters } from './filters.js';
import { listSessions, type Outcome } from './requests.js';
import { createListRow, type ListRow, markChosen } from './rows.js';
import type { SessionRow } from './sessions.js';
import { asCount } from './text.js';

const PAGE = 25;

/** Lists the sessions page by page, with cursors, so that new sessions do not shift the pages. */
export class SessionList {
  readonly #body = elementById('rows', HTMLTableSectionElement);
  readonly #empty = elementById('empty', HTMLElement);
  readonly #range = elementById('range', HTMLElement);
  readonly #newer = elementById('newer', HTMLButtonElement);
  readonly #older = elementById('older', HTMLButtonElement);
  readonly #filters: Filters;
  readonly #onTrouble: (message: string) => void;
  #lines: readonly ListRow[] = [];
  /** The cursors of the pages up to this one. */
  #cursors: readonly string[] = [];
  #next: string | undefined;
  #chosen: string | undefined;
  /** Number of requests so far: only the answer to the latest one is shown. */
  #requests = 0;

  constructor(onTrouble: (message: string) => void) {
    this.#onTrouble = onTrouble;
    this.#filters = new Filters(() => this.#turn([]));
    this.#newer.addEventListener('click', () => this.#turn(this.#cursors.slice(0, -1)));
    this.#older.addEventListener('click', () => {
      if (this.#next !== undefined) this.#turn([...this.#cursors, this.#next]);
    });
    elementById('rows-frame', HTMLElement).addEventListener('keydown', (event) => this.#move(event));
  }

  /** Reads the current page and the counts again. */
  async refresh(): Promise<void> {
    await Promise.all([this.#load(), this.#filters.refresh()]);
  }

  /** Marks the session that is open. */
  choose(id: string | undefined): void {
    this.#chosen = id;
    for (const line of this.#lines) markChosen(line, line.id === id);
  }

  /** Moves the focus to the row of a session, or to the first row. */
  focus(id: string | undefined): void {
    const line = this.#lines.find((candidate) => candidate.id === id) ?? this.#lines[0];
    line?.link.focus();
  }

  #turn(cursors: readonly string[]): void {
    this.#cursors = cursors;
    void this.#load();
  }

  async #load(): Promise<void> {
    this.#requests += 1;
    const request = this.#requests;
    const after = this.#cursors.at(-1);
    const query = { limit: String(PAGE), ...this.#filters.query, ...(after === undefined ? {} : { after }) };
    const answer = await listSessions(query);
    if (request !== this.#requests) return;
    this.#onTrouble(answer.ok ? '' : answer.message);
    if (answer.ok) this.#show(answer);
  }

  #show({ value, headers }: Extract<Outcome<readonly SessionRow[]>, { readonly ok: true }>): void {
    const known = new Map(this.#lines.map((line) => [line.id, line]));
    const focused = this.#lines.find(({ link }) => link === document.activeElement);
    this.#lines = value.map((session) => {
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
    this.#next = headers.get('x-next-cursor') ?? undefined;
    this.#showRange(Number(headers.get('x-total-count')), headers.get('x-unreadable-sessions'));
  }

  #showRange(total: number, unreadable: string | null): void {
    const before = this.#cursors.length * PAGE;
    const damaged = unreadable === null ? '' : ` · ${unreadable.split(',').length} unreadable`;
    const range = `${asCount(before + 1)}–${asCount(before + this.#lines.length)} of ${asCount(total)}`;
    setText(this.#range, `${this.#lines.length === 0 ? `0 of ${asCount(total)}` : range}${damaged}`);
    this.#empty.hidden = this.#lines.length > 0;
    setText(this.#empty, `There are no ${this.#filters.label}sessions${before > 0 ? ' on this page' : ''}.`);
    this.#newer.disabled = this.#cursors.length === 0;
    this.#older.disabled = this.#next === undefined;
  }

  /** Handles the keys that move the focus within the list. */
  #move(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#lines.findIndex(({ link }) => link === document.activeElement);
    if (at < 0) return;
    const last = this.#lines.length - 1;
    const targets: Readonly<Record<string, number>> = {
      j: at + 1,
      ArrowDown: at + 1,
      k: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#lines[Math.min(Math.max(target, 0), last)]?.link.focus();
  }
}
