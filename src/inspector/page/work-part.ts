import { button, element } from './dom.js';
import { type Fact, factList, timeFact } from './facts.js';
import type { SessionDetail } from './session-row.js';
import { asCount, asTime } from './text.js';

type Work = NonNullable<SessionDetail['work']>;

const states: Readonly<Record<Work['state'], string>> = {
  waiting: 'waiting since',
  running: 'running since',
  retrying: 'retrying since',
  exhausted: 'exhausted since',
};

const factsOf = ({ holder, lease_until: until, work }: SessionDetail): readonly Fact[] => {
  const facts: Fact[] = [];
  if (work !== undefined) facts.push(timeFact(states[work.state], work.since));
  if (work !== undefined && work.attempt > 0) facts.push(['attempt', asCount(work.attempt)]);
  if (work?.next_at !== undefined) facts.push(['next attempt', asTime(work.next_at)]);
  if (work?.error !== undefined) facts.push(['last error', work.error]);
  if (holder !== undefined && until !== undefined)
    facts.push(['leased by', `${holder} until ${asTime(until)}`]);
  return facts;
};

export class WorkPart {
  readonly part = element('section', { class: 'part work', 'aria-label': 'Work' });
  /** Absent if the host does not allow it. */
  readonly #cancel: HTMLButtonElement | undefined;
  #drawn = '';
  #since: string | undefined;

  /** `cancel` returns whether the turn was cancelled. */
  constructor(cancel: (() => Promise<boolean>) | undefined) {
    if (cancel === undefined) return;
    const press = async (): Promise<void> => {
      control.disabled = true;
      control.disabled = await cancel();
    };
    const control = button('Cancel turn', () => void press(), { class: 'danger' });
    this.#cancel = control;
  }

  show(session: SessionDetail): void {
    const { work, holder, lease_until: until } = session;
    const drawn = JSON.stringify([work, holder, until]);
    // Drawing the same facts again would end the user's selection.
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const facts = factsOf(session);
    this.part.hidden = facts.length === 0;
    const isTurn = work?.state === 'running' || work?.state === 'retrying';
    // A cancelled turn stays running until it has stored its last entries.
    if (this.#cancel && work?.since !== this.#since) this.#cancel.disabled = false;
    this.#since = work?.since;
    this.part.replaceChildren(factList(facts), ...(isTurn && this.#cancel ? [this.#cancel] : []));
  }
}
