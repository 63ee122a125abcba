import { elementById } from './dom.js';
import type { ListQuery } from './requests.js';

/**
 * The start of a local day, plus days. Bounds of a list are exclusive, so the lower bound is a
 * millisecond earlier.
 */
const dayOf = (input: HTMLInputElement, days: number): Date | undefined => {
  if (input.value === '') return undefined;
  const [year = 0, month = 0, day = 0] = input.value.split('-').map(Number);
  return new Date(year, month - 1, day + days);
};

/** The fields above the list: an id or a label, and the days of creation. */
export class Search {
  readonly #text = elementById('search', HTMLInputElement);
  readonly #from = elementById('from', HTMLInputElement);
  readonly #to = elementById('to', HTMLInputElement);

  constructor(onChange: () => void) {
    for (const input of [this.#text, this.#from, this.#to])
      input.addEventListener('change', onChange);
    this.#text.addEventListener('input', () => {
      if (this.#text.value === '') onChange();
    });
    this.#text.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || this.#text.value === '') return;
      this.#text.value = '';
      onChange();
    });
  }

  /** The id or the label to find; empty for all sessions. */
  get text(): string {
    return this.#text.value.trim();
  }

  get query(): ListQuery {
    const [from, to] = [dayOf(this.#from, 0), dayOf(this.#to, 1)];
    return {
      ...(from && { created_after: new Date(from.getTime() - 1).toISOString() }),
      ...(to && { created_before: to.toISOString() }),
    };
  }

  focus(): void {
    this.#text.focus();
    this.#text.select();
  }
}
