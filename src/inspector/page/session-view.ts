import { confirmTermination } from './confirm-termination.js';
import { button, element, part, setText } from './dom.js';
import { Facts } from './facts.js';
import { follow } from './follower.js';
import { History } from './history.js';
import { getSession, terminate } from './requests.js';
import type { Change, Whole } from './sessions.js';
import { statusMark } from './status-mark.js';
import { visible } from './text.js';
import { Timeline } from './timeline.js';

/** What the host offers, as the page was told. */
export interface Offers {
  readonly events: boolean;
  readonly terminate: boolean;
}

/** One session, for as long as it is open. */
export class SessionView {
  readonly id: string;
  readonly title: HTMLHeadingElement;
  readonly #offers: Offers;
  readonly #frame = part('detail', HTMLElement);
  readonly #status = element('span');
  readonly #live = element('span', { class: 'live' });
  readonly #trouble = element('p', { class: 'trouble', role: 'alert' });
  readonly #facts = new Facts();
  readonly #timeline = new Timeline();
  readonly #history: History;
  readonly #terminate: HTMLButtonElement;
  readonly #onChange: () => void;
  #session: Whole | undefined;
  #stop = () => {};
  #isLooking = false;
  #mustLook = false;
  #isClosed = false;

  constructor(id: string, offers: Offers, { onClose, onChange }: { onClose: () => void; onChange: () => void }) {
    this.id = id;
    this.#offers = offers;
    this.#onChange = onChange;
    this.#history = new History(id);
    this.title = element('h2', { id: 'detail-title', class: 'mono', tabindex: '-1' }, visible(id));
    this.#terminate = button('Terminate…', () => void this.#end(), { class: 'danger', hidden: '' });
    const buttons = element('div', { class: 'buttons' }, this.#terminate, button('Close', onClose));
    const header = element('header', {}, this.title, this.#status, this.#live, buttons);
    const timeline = element('section', { class: 'part' }, element('h3', {}, 'Timeline'), this.#timeline.list);
    const facts = element('section', { class: 'part' }, this.#facts.list);
    this.#frame.replaceChildren(header, this.#trouble, facts, timeline, this.#history.part);
    void this.#look().then(() => this.#follow());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#frame.replaceChildren();
  }

  #follow(): void {
    if (this.#isClosed || this.#session === undefined) return;
    const isEnded = this.#session.status === 'TERMINATED';
    if (isEnded && !this.#offers.events) return;
    this.#stop = follow(this.id, this.#offers.events, {
      changed: (change) => this.#changed(change),
      look: () => void this.#look(),
      told: (how) => setText(this.#live, how),
    });
  }

  #changed(change: Change): void {
    this.#timeline.add(change);
    void this.#look();
  }

  /** The session as it is, and what its history has become; once more if asked for meanwhile, and not once each. */
  async #look(): Promise<void> {
    this.#mustLook = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#mustLook && !this.#isClosed) {
      this.#mustLook = false;
      const answer = await getSession(this.id);
      if (this.#isClosed) return;
      if (answer.ok) this.#show(answer.value);
      const trouble = answer.ok ? await this.#readHistory(answer.value.entries) : answer.message;
      setText(this.#trouble, trouble);
    }
    this.#isLooking = false;
  }

  /** Whoever is at the end of the history stays there. */
  async #readHistory(total: number): Promise<string> {
    const { scrollTop, scrollHeight, clientHeight } = this.#frame;
    const isAtEnd = scrollTop > 0 && scrollTop + clientHeight > scrollHeight - 40;
    const trouble = await this.#history.update(total);
    if (isAtEnd) this.#frame.scrollTop = this.#frame.scrollHeight;
    return trouble;
  }

  #show(session: Whole): void {
    const before = this.#session;
    this.#session = session;
    this.#timeline.begin(session);
    this.#facts.show(session);
    this.#terminate.hidden = !this.#offers.terminate || session.status === 'TERMINATED';
    if (before?.status === session.status) return;
    this.#status.replaceChildren(statusMark(session));
    if (before === undefined) return;
    if (!this.#offers.events) this.#timeline.notice(session.status);
    setText(part('news', HTMLElement), `${visible(this.id)} is ${session.status}`);
    if (session.status === 'TERMINATED' && !this.#offers.events) {
      this.#stop();
      setText(this.#live, '');
    }
    this.#onChange();
  }

  async #end(): Promise<void> {
    const isSure = await confirmTermination(this.id);
    if (!isSure || this.#isClosed) return;
    const answer = await terminate(this.id);
    if (this.#isClosed) return;
    await this.#look();
    // The button is gone, and the focus with it.
    if (answer.ok) this.title.focus();
    else setText(this.#trouble, answer.message);
  }
}
