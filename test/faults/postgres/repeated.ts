/** Something that is done again and again, from one call to another. */
export class Repeated {
  readonly #turn: () => Promise<unknown>;
  #isOver = true;
  #turns: Promise<void> = Promise.resolve();

  constructor(turn: () => Promise<unknown>) {
    this.#turn = turn;
  }

  begin = (): void => {
    this.#isOver = false;
    this.#turns = this.#repeat();
  };

  end = (): Promise<void> => {
    this.#isOver = true;
    return this.#turns;
  };

  async #repeat(): Promise<void> {
    while (!this.#isOver) await this.#turn();
  }
}
