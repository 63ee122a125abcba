import { element, setText } from './dom.js';

export interface Measure {
  readonly used: number;
  /** 0 for none. */
  readonly limit: number;
  readonly text: string;
  /** What is left; empty if that says nothing. */
  readonly left: string;
}

/** How much of a limit is used: a bar between two texts. */
export class Gauge {
  readonly #used = element('span');
  readonly #fill = element('div');
  readonly #bar: HTMLElement;
  readonly #left = element('span');
  readonly part: HTMLElement;

  constructor(name: string) {
    const meter = { class: 'gauge', role: 'meter', 'aria-label': name, 'aria-valuemin': '0' };
    this.#bar = element('div', meter, this.#fill);
    this.part = element('div', { class: 'limit' }, this.#used, this.#bar, this.#left);
  }

  show({ used, limit, text, left }: Measure): void {
    setText(this.#used, text);
    setText(this.#left, left);
    this.#bar.hidden = limit === 0;
    if (limit === 0) return;
    const share = Math.min(used / limit, 1);
    // By the style's object: the policy forbids attributes of this name.
    this.#fill.style.width = `${share * 100}%`;
    this.#bar.classList.toggle('scarce', share >= 0.8);
    this.#bar.setAttribute('aria-valuemax', String(limit));
    this.#bar.setAttribute('aria-valuenow', String(Math.floor(used)));
    this.#bar.setAttribute('aria-valuetext', text);
  }
}
