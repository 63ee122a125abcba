import type { SessionStatus } from '../../session/session-status.js';
import { button, element, elementById, setText } from './dom.js';
import { type ListQuery, listSessions } from './requests.js';
import { asCount } from './text.js';

type Choice = SessionStatus | '';

const labels: Readonly<Record<Choice, string>> = {
  '': 'All',
  IDLE: 'Idle',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  TERMINATED: 'Terminated',
};

const NO_STATUS_INDEX =
  'This store cannot list by status, so all sessions are shown. For RedisSessionStore, set statusIndex: true.';

/** In the order of the buttons. The table of statuses itself would bring the whole domain into the page. */
const choices: readonly Choice[] = ['', 'IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'];

interface Filter {
  readonly status: Choice;
  readonly control: HTMLButtonElement;
  readonly count: HTMLElement;
}

/** The buttons above the list: one for each status, with the number of its sessions. */
export class Filters {
  readonly #frame = elementById('filters', HTMLFieldSetElement);
  readonly #notice = elementById('no-filters', HTMLElement);
  readonly #filters: readonly Filter[];
  #chosen: Choice = '';

  constructor(onChoice: () => void) {
    this.#filters = choices.map((status) => {
      const count = element('b');
      const control = button(`${labels[status]} `, () => {
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
    return this.#chosen === '' ? {} : { status: this.#chosen };
  }

  get label(): string {
    return this.#chosen === '' ? '' : `${labels[this.#chosen].toLowerCase()} `;
  }

  /** A search by id finds sessions of every status. */
  set isDisabled(isDisabled: boolean) {
    this.#frame.disabled = isDisabled;
  }

  /** Updates the counts. Hides the buttons if the store cannot list by status. */
  async refresh(within: ListQuery): Promise<void> {
    const answers = await Promise.all(
      this.#filters.map(({ status }) => listSessions({ limit: '1', ...within, ...(status === '' ? {} : { status }) })),
    );
    const [all, ...byStatus] = answers;
    const isUnsupported = all?.ok === true && byStatus.every((answer) => !answer.ok);
    const refused = byStatus.find((answer) => !answer.ok && answer.status === 422);
    const reason = refused?.ok === false ? refused.message : NO_STATUS_INDEX;
    this.#frame.hidden = isUnsupported;
    this.#notice.hidden = !isUnsupported;
    setText(this.#notice, isUnsupported ? reason : '');
    for (const [index, { count }] of this.#filters.entries()) {
      const answer = answers[index];
      if (answer?.ok) setText(count, asCount(answer.value.total));
    }
  }

  #choose(chosen: Choice): void {
    this.#chosen = chosen;
    for (const { status, control } of this.#filters) control.setAttribute('aria-pressed', String(status === chosen));
  }
}
