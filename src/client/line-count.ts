const LF = 10;
const CR = 13;
const COLON = 58;

/** Counts the lines of the Server-Sent Event that is on its way. An empty line ends it; comments are not of it. */
export class LineCount {
  #count = 0;
  #first: number | undefined;
  #wasCr = false;

  /** Takes the next piece of the stream, wherever it was cut. Gives how many lines the last event in it has so far. */
  add(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const isSecondHalf = code === LF && this.#wasCr;
      this.#wasCr = code === CR;
      if (isSecondHalf) continue;
      if (code === LF || code === CR) this.#endLine();
      else this.#first ??= code;
    }
    return this.#count;
  }

  #endLine(): void {
    if (this.#first === undefined) this.#count = 0;
    else if (this.#first !== COLON) this.#count += 1;
    this.#first = undefined;
  }
}
