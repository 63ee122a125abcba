// Scripted telephony, speech recognition, speech synthesis and model. A real agent uses services
// for these.
import type { HistoryEntry } from 'colloquy';
import type { Heard, Line, Model } from './agent.js';
import type { ScriptedClock } from './scripted-clock.js';

/** An event of the line, and the milliseconds after the event before it. */
export interface Step {
  readonly after: number;
  readonly heard: Heard | 'cut';
}

const WORD_MS = 300;
const THOUGHT_MS = 400;

export class ScriptedLine implements Line {
  readonly #clock: ScriptedClock;
  readonly #steps: Step[];
  #last: number;

  constructor(clock: ScriptedClock, steps: readonly Step[]) {
    this.#clock = clock;
    this.#steps = [...steps];
    this.#last = clock.now();
  }

  async *listen(signal: AbortSignal): AsyncGenerator<Heard, void> {
    for (let step = this.#steps[0]; step !== undefined; step = this.#steps[0]) {
      await this.#clock.wait(this.#last + step.after - this.#clock.now(), signal);
      if (signal.aborted) return;
      this.#last = this.#clock.now();
      this.#steps.shift();
      if (step.heard === 'cut') return;
      yield step.heard;
    }
    await this.#clock.wait(Number.POSITIVE_INFINITY, signal); // nobody says anything more
  }

  async speak(text: string, signal: AbortSignal): Promise<string> {
    const heard: string[] = [];
    for (const word of text.split(' ')) {
      await this.#clock.wait(WORD_MS, signal);
      if (signal.aborted) break;
      heard.push(word);
    }
    return heard.join(' ');
  }
}

/** A model with fixed answers. */
export const scriptedModel = (
  clock: ScriptedClock,
  answers: Readonly<Record<string, readonly string[]>>,
): Model => ({
  async *answer(history: readonly HistoryEntry[], signal: AbortSignal) {
    for (const sentence of answers[history.at(-1)?.content ?? ''] ?? ['I did not understand.']) {
      await clock.wait(THOUGHT_MS, signal);
      if (signal.aborted) return;
      yield sentence;
    }
  },
});
