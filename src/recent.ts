/**
 * What was made of something lately, within a bound on what it weighs: characters, as a rule. What was not asked for
 * while half of the room filled up is forgotten, so that a hit moves nothing and costs one look.
 */
export class Recent<T> {
  readonly #room: number;
  readonly #weigh: (value: T) => number;
  #recent = new Map<string, T>();
  #former = new Map<string, T>();
  #weight = 0;

  constructor(room: number, weigh: (value: T) => number) {
    this.#room = room;
    this.#weigh = weigh;
  }

  get(key: string): T | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const former = this.#former.get(key);
    if (former !== undefined) this.set(key, former);
    return former;
  }

  /** Remembers `value`, unless it alone would push out all the others. */
  set(key: string, value: T): void {
    const weight = this.#weigh(value);
    if (weight > this.#room / 8) return;
    this.#weight += weight;
    if (this.#weight > this.#room / 2) {
      this.#former = this.#recent;
      this.#recent = new Map();
      this.#weight = weight;
    }
    this.#recent.set(key, value);
  }

  delete(key: string): void {
    this.#recent.delete(key);
    this.#former.delete(key);
  }
}
