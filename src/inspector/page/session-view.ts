import { confirmTermination } from './confirm-termination.js';
import { copyButton } from './copy-button.js';
import { button, element, elementById, setText } from './dom.js';
import { factsOf } from './facts.js';
import { follow } from './follower.js';
import { History } from './history.js';
import { Inbox } from './inbox.js';
import { oneAtATime } from './one-at-a-time.js';
import { Progress } from './progress.js';
import { getSession, type Outcome, post } from './requests.js';
import { serverNow } from './server-clock.js';
import type { SessionDetail } from './session-row.js';
import { statusMark } from './status-mark.js';
import { escapeInvisible } from './text.js';
import { Timeline } from './timeline.js';
import { WorkPart } from './work-part.js';

/** Milliseconds after the end of a lease: the server's clock is known only to the second. */
const LEASE_END_MS = 1500;

/** The features that the host has enabled. */
export interface Features {
  readonly events: boolean;
  readonly write: boolean;
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
  readonly #work: WorkPart;
  readonly #facts = element('section', { class: 'part' });
  readonly #progress = new Progress();
  readonly #timeline = new Timeline();
  readonly #history: History;
  readonly #inbox: Inbox;
  readonly #terminate: HTMLButtonElement;
  readonly #onChange: () => void;
  #session: SessionDetail | undefined;
  #stop = () => {};
  #leaseEnd: ReturnType<typeof setTimeout> | undefined;
  /**
   * Whether the events begin with a snapshot, after which the history is read: once, so that
   * nothing jumps.
   */
  #awaitsSnapshot: boolean;
  #isClosed = false;
  readonly #refresh = oneAtATime(async () => {
    if (this.#isClosed) return;
    const answer = await getSession(this.id);
    if (this.#isClosed) return;
    if (!answer.ok) return setText(this.#trouble, answer.message);
    this.#show(answer.value);
    if (this.#awaitsSnapshot) setText(this.#trouble, '');
    else await this.#take(this.#history.update(answer.value.entries));
  });

  constructor(
    id: string,
    features: Features,
    { onClose, onChange }: { onClose: () => void; onChange: () => void },
  ) {
    this.id = id;
    this.#features = features;
    this.#awaitsSnapshot = features.events;
    this.#onChange = onChange;
    this.#history = new History(id);
    const { write } = features;
    const withdraw = (messageId: string) =>
      void this.#act(post('withdraw-messages', id, { ids: [messageId] }));
    this.#work = new WorkPart(write ? () => this.#act(post('cancel-work', id)) : undefined);
    this.#inbox = new Inbox(id, write ? withdraw : undefined);
    this.title = element(
      'h2',
      { id: 'detail-title', class: 'mono', tabindex: '-1' },
      escapeInvisible(id),
    );
    this.#terminate = button('Terminate…', () => void this.#end(), { class: 'danger', hidden: '' });
    const buttons = element('div', { class: 'buttons' }, this.#terminate, button('Close', onClose));
    const copy = copyButton(id, this.title);
    const header = element('header', {}, this.title, copy, this.#status, this.#live, buttons);
    const head = element('h3', {}, 'Timeline');
    const timeline = element('section', { class: 'part' }, head, this.#timeline.list);
    const overview = element(
      'div',
      { class: 'overview', tabindex: '0', role: 'group', 'aria-label': 'Overview' },
      this.#progress.part,
      this.#work.part,
      this.#facts,
      timeline,
    );
    const parts = [overview, this.#history.part, this.#inbox.part];
    this.#frame.replaceChildren(header, this.#trouble, ...parts);
    void this.#refresh().then(() => this.#follow());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    clearTimeout(this.#leaseEnd);
    this.#frame.replaceChildren();
  }

  #follow(): void {
    if (this.#isClosed || this.#session === undefined) return;
    if (this.#session.status === 'TERMINATED' && !this.#features.events) return;
    let hasSnapshot = false;
    this.#stop = follow(this.id, this.#features.events, {
      onSnapshot: (session) => {
        this.#show(session);
        if (hasSnapshot) this.#timeline.addRewrite(session);
        hasSnapshot = true;
        this.#awaitsSnapshot = false;
        void this.#take(this.#history.reload(session.entries));
      },
      onChange: ({ session, entries }) => {
        this.#timeline.addEntries(entries.length, entries.at(-1)?.timestamp ?? session.updated_at);
        this.#show(session);
        void this.#take(this.#history.add(session.entries, entries));
      },
      refresh: () => {
        this.#awaitsSnapshot = false;
        void this.#refresh();
      },
      showState: (how) => setText(this.#live, how),
    });
  }

  async #take(reading: Promise<string>): Promise<void> {
    setText(this.#trouble, await reading);
  }

  #show(session: SessionDetail): void {
    const before = this.#session;
    this.#session = session;
    this.#timeline.show(session);
    this.#progress.show(session);
    this.#work.show(session);
    this.#inbox.show(session);
    this.#awaitLeaseEnd(session);
    if (before === undefined) this.#facts.append(factsOf(session));
    this.#terminate.hidden = !this.#features.write || session.status === 'TERMINATED';
    if (before?.status === session.status) return;
    this.#status.replaceChildren(statusMark(session));
    if (before === undefined) return;
    setText(
      elementById('announcement', HTMLElement),
      `${escapeInvisible(this.id)} is ${session.status}`,
    );
    this.#onChange();
    if (session.status !== 'TERMINATED' || this.#features.events) return;
    this.#stop();
    setText(this.#live, '');
  }

  async #end(): Promise<void> {
    const isSure = await confirmTermination(this.id);
    if (isSure && !this.#isClosed) await this.#act(post('terminate-session', this.id));
  }

  /** Shows the effect of a button, and returns whether it worked. */
  async #act(acting: Promise<Outcome<unknown>>): Promise<boolean> {
    const answer = await acting;
    if (this.#isClosed) return answer.ok;
    await this.#refresh();
    // The button that had the focus may be gone.
    if (answer.ok) this.title.focus();
    else setText(this.#trouble, answer.message);
    return answer.ok;
  }

  /** No event reports that a lease was renewed or has expired. */
  #awaitLeaseEnd({ lease_until: until }: SessionDetail): void {
    clearTimeout(this.#leaseEnd);
    if (until === undefined) return;
    const ms = Math.max(Date.parse(until) - serverNow(), 0) + LEASE_END_MS;
    this.#leaseEnd = setTimeout(() => void this.#refresh(), ms);
  }
}
