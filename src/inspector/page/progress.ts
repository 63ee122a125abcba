import { element, setText } from './dom.js';
import { serverNow } from './server-clock.js';
import type { SessionDetail } from './session-row.js';
import { drawDuration } from './show-duration.js';
import { type Span, spansOf } from './spans.js';
import { asDuration } from './text.js';

const titleOf = ({ status, seconds }: Span): string => `${status} ${asDuration(seconds)}`;

/** Shows how long a session was IDLE, ACTIVE and PAUSED, and how much of its time limit is used. */
export class Progress {
  readonly part = element('section', { class: 'part progress', 'aria-label': 'Progress' });
  readonly #spans = element('div', { class: 'spans', 'aria-hidden': 'true' });
  readonly #legend = element('p', { class: 'legend' });
  readonly #used = element('span');
  readonly #fill = element('div');
  readonly #gauge = element(
    'div',
    { class: 'gauge', role: 'meter', 'aria-label': 'Time limit', 'aria-valuemin': '0' },
    this.#fill,
  );
  readonly #left = element('span');
  constructor() {
    const limit = element('div', { class: 'limit' }, this.#used, this.#gauge, this.#left);
    this.part.append(this.#spans, this.#legend, limit);
  }

  show(session: SessionDetail): void {
    drawDuration(this.#used, session, (seconds) => {
      this.#drawLimit(session, seconds);
      this.#drawSpans(spansOf(session, seconds, serverNow()));
    });
  }

  #drawSpans(spans: readonly Span[]): void {
    this.#spans.hidden = this.#legend.hidden = spans.length === 0;
    for (const [at, span] of spans.entries()) this.#drawSpan(at, span);
    while (this.#spans.childElementCount > spans.length) this.#spans.lastElementChild?.remove();
    const items = spans.map((span) =>
      element('span', { class: `status status-${span.status}` }, titleOf(span)),
    );
    this.#legend.replaceChildren(...items);
  }

  #drawSpan(at: number, span: Span): void {
    const known = this.#spans.children[at];
    const shown = known instanceof HTMLElement ? known : element('div');
    if (known === undefined) this.#spans.append(shown);
    shown.className = `span-${span.status}`;
    shown.title = titleOf(span);
    // By the style's object: the policy forbids attributes of this name.
    shown.style.flexGrow = String(span.seconds);
  }

  #drawLimit({ status, options: { time_limit: limit } }: SessionDetail, seconds: number): void {
    const hasLimit = limit > 0;
    this.#gauge.hidden = !hasLimit;
    this.#left.hidden = !hasLimit || status === 'TERMINATED';
    const bound = hasLimit ? ` of ${asDuration(limit)}` : ' active, no time limit';
    setText(this.#used, asDuration(seconds) + bound);
    if (!hasLimit) return;
    const used = Math.min(seconds / limit, 1);
    this.#fill.style.width = `${used * 100}%`;
    this.#gauge.classList.toggle('scarce', used >= 0.8);
    this.#gauge.setAttribute('aria-valuemax', String(limit));
    this.#gauge.setAttribute('aria-valuenow', String(Math.floor(seconds)));
    this.#gauge.setAttribute('aria-valuetext', this.#used.textContent ?? '');
    setText(this.#left, `${asDuration(limit - Math.floor(seconds))} left`);
  }
}
