import type { SessionCounts, StatusFilter } from '../session-counts.js';
import { button, element, elementById, setText } from './dom.js';
import { oneAtATime } from './one-at-a-time.js';
import { countSessions, type ListQuery } from './requests.js';
import { asCount } from './text.js';

/**
 * In the order of the buttons. Importing the table of statuses would pull the domain into the page.
 */
const choices: readonly StatusFilter[] = ['', 'IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'];

const labelOf = (status: StatusFilter): string =>
  status === '' ? 'All' : status.charAt(0) + status.slice(1).toLowerCase();

interface Filter {
  readonly status: StatusFilter;
  readonly control: HTMLButtonElement;
  readonly count: HTMLElement;
}

/** The buttons above the list: one for each status, with the number of its sessions. */
export class Filters {
  readonly #frame = elementById('filters', HTMLFieldSetElement);
  readonly #notice = elementById('no-filters', HTMLElement);
  readonly #filters: readonly Filter[];
  #chosen: StatusFilter = '';
  #within: ListQuery = {};
  /** Counting can be slower than listing. */
  readonly #count = oneAtATime(async () => {
    const answer = await countSessions(this.#within);
    if (answer.ok) this.#show(answer.value);
  });

  constructor(onChoice: () => void) {
    this.#filters = choices.map((status) => {
      const count = element('b');
      const control = button(`${labelOf(status)} `, () => {
        this.#choose(status);
        onChoice();
      });
      control.append(count);
      return { status, control, count };
    });
    this.#frame.append(...this.#filters.map(({ control }) => control));
    this.#choose('');
  }

  /** The query parameters of the chosen filter; empty for all sessions. */
  get query(): ListQuery {
    return { ...(this.#chosen && { status: this.#chosen }) };
  }

  get label(): string {
    return this.#chosen && `${this.#chosen.toLowerCase()} `;
  }

  /** A search by id finds sessions of every status. */
  set isDisabled(isDisabled: boolean) {
    this.#frame.disabled = isDisabled;
  }

  refresh(within: ListQuery): Promise<void> {
    this.#within = within;
    return this.#count();
  }

  /** Hides the buttons if the store cannot list by status. */
  #show({ counts, notice = '' }: SessionCounts): void {
    this.#frame.hidden = notice !== '';
    this.#notice.hidden = notice === '';
    setText(this.#notice, notice);
    for (const { status, count } of this.#filters) {
      const counted = counts.find((each) => each.status === status);
      if (counted !== undefined) setText(count, asCount(counted.total));
    }
  }

  #choose(chosen: StatusFilter): void {
    this.#chosen = chosen;
    for (const { status, control } of this.#filters)
      control.setAttribute('aria-pressed', String(status === chosen));
  }
}
