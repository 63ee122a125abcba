import { confirmTermination } from './confirm-termination.js';
import { button, element, elementById, setText } from './dom.js';
import { Facts } from './facts.js';
import { follow } from './follower.js';
import { History } from './history.js';
import { getSession, terminate } from './requests.js';
import type { Change, SessionDetail } from './sessions.js';
import { statusMark } from './status-mark.js';
import { escapeInvisible } from './text.js';
import { Timeline } from './timeline.js';

/** The features that the host has enabled. */
export interface Features {
  readonly events: boolean;
  readonly terminate: boolean;
}

/** Shows one session until it is closed. */
export class SessionView {
  readonly id: string;
  readonly title: HTMLHeadingElement;
  readonly #features: Features;
  readonly #frame = elementById('detail', HTMLElement);
  readonly #status = element('span');
  readonly #live = element('span', { class: 'live' });
  readonly #trouble = element('p', { class: 'trouble', role: 'alert' });
  readonly #facts = new Facts();
  readonly #timeline = new Timeline();
  readonly #history: History;
  readonly #terminate: HTMLButtonElement;
  readonly #onChange: () => void;
  #session: SessionDetail | undefined;
  #stop = () => {};
  #isLoading = false;
  #isStale = false;
  #isClosed = false;

  constructor(id: string, offers: Features, { onClose, onChange }: { onClose: () => void; onChange: () => void }) {
    this.id = id;
    this.#features = offers;
    this.#onChange = onChange;
    this.#history = new History(id);
    this.title = element('h2', { id: 'detail-title', class: 'mono', tabindex: '-1' }, escapeInvisible(id));
    this.#terminate = button('Terminate…', () => void this.#end(), { class: 'danger', hidden: '' });
    const buttons = element('div', { class: 'buttons' }, this.#terminate, button('Close', onClose));
    const header = element('header', {}, this.title, this.#status, this.#live, buttons);
    const timeline = element('section', { class: 'part' }, element('h3', {}, 'Timeline'), this.#timeline.list);
    const facts = element('section', { class: 'part' }, this.#facts.list);
    this.#frame.replaceChildren(header, this.#trouble, facts, timeline, this.#history.part);
    void this.#refresh().then(() => this.#follow());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#frame.replaceChildren();
  }

  #follow(): void {
    if (this.#isClosed || this.#session === undefined) return;
    const isEnded = this.#session.status === 'TERMINATED';
    if (isEnded && !this.#features.events) return;
    this.#stop = follow(this.id, this.#features.events, {
      onEvent: (change) => this.#onEvent(change),
      refresh: () => void this.#refresh(),
      showState: (how) => setText(this.#live, how),
    });
  }

  #onEvent(change: Change): void {
    this.#timeline.add(change);
    void this.#refresh();
  }

  /** Reads the session and the new entries. Calls during a read cause one further read together. */
  async #refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const answer = await getSession(this.id);
      if (this.#isClosed) return;
      if (answer.ok) this.#show(answer.value);
      const trouble = answer.ok ? await this.#readHistory(answer.value.entries) : answer.message;
      setText(this.#trouble, trouble);
    }
    this.#isLoading = false;
  }

  /** If the user has scrolled to the end of the history, stays at its end. */
  async #readHistory(total: number): Promise<string> {
    const { scrollTop, scrollHeight, clientHeight } = this.#frame;
    const isAtEnd = scrollTop > 0 && scrollTop + clientHeight > scrollHeight - 40;
    const trouble = await this.#history.update(total);
    if (isAtEnd) this.#frame.scrollTop = this.#frame.scrollHeight;
    return trouble;
  }

  #show(session: SessionDetail): void {
    const before = this.#session;
    this.#session = session;
    this.#timeline.begin(session);
    this.#facts.show(session);
    this.#terminate.hidden = !this.#features.terminate || session.status === 'TERMINATED';
    if (before?.status === session.status) return;
    this.#status.replaceChildren(statusMark(session));
    if (before === undefined) return;
    if (!this.#features.events) this.#timeline.notice(session.status);
    setText(elementById('news', HTMLElement), `${escapeInvisible(this.id)} is ${session.status}`);
    if (session.status === 'TERMINATED' && !this.#features.events) {
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
    await this.#refresh();
    // The button that had the focus is gone.
    if (answer.ok) this.title.focus();
    else setText(this.#trouble, answer.message);
  }
}
