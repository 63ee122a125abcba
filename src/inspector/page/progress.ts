import { element } from './dom.js';
import { Gauge, type Measure } from './gauge.js';
import { serverNow } from './server-clock.js';
import type { SessionDetail } from './session-row.js';
import { drawDuration } from './show-duration.js';
import { type Span, spansOf } from './spans.js';
import { asDuration } from './text.js';
import { measuresOf } from './usage.js';

const titleOf = ({ status, seconds }: Span): string => `${status} ${asDuration(seconds)}`;

/** Shows how long a session was IDLE, ACTIVE and PAUSED, and how much of its limits is used. */
export class Progress {
  readonly part = element('section', { class: 'part progress', 'aria-label': 'Progress' });
  readonly #spans = element('div', { class: 'spans', 'aria-hidden': 'true' });
  readonly #legend = element('p', { class: 'legend' });
  readonly #time = new Gauge('Time limit');
  readonly #counters = new Map<string, Gauge>();
  readonly #limits = element('div', { class: 'limits' }, this.#time.part);
  constructor() {
    this.part.append(this.#spans, this.#legend, this.#limits);
  }

  show(session: SessionDetail): void {
    this.#drawUsage(measuresOf(session));
    drawDuration(this.#time.part, session, (seconds) => {
      this.#drawTime(session, seconds);
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

  #drawTime({ status, options: { time_limit: limit } }: SessionDetail, seconds: number): void {
    const hasLimit = limit > 0;
    const bound = hasLimit ? ` of ${asDuration(limit)}` : ' active, no time limit';
    const isOpen = hasLimit && status !== 'TERMINATED';
    const left = isOpen ? `${asDuration(limit - Math.floor(seconds))} left` : '';
    this.#time.show({ used: seconds, limit, text: asDuration(seconds) + bound, left });
  }

  #drawUsage(measures: ReadonlyMap<string, Measure>): void {
    for (const [name, gauge] of this.#counters) if (!measures.has(name)) gauge.part.remove();
    for (const [name, measure] of measures) {
      const gauge = this.#counters.get(name) ?? new Gauge(name);
      this.#counters.set(name, gauge);
      gauge.show(measure);
      if (gauge.part.parentElement === null) this.#limits.append(gauge.part);
    }
  }
}
