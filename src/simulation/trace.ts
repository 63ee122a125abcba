/** Lines after the last change, which show the answers to it. */
const ANSWERS = 4;

/**
 * - `change`: a change that others see, or a fault.
 * - `error`: a process ends with an error. Its host starts a new process, which may fail again.
 * - `step`: a call, an answer, or a change of a lease and nothing else.
 */
export type LineType = 'change' | 'error' | 'step';

interface Line {
  readonly type: LineType;
  readonly seconds: number;
  readonly text: string;
}

const inWords = ({ seconds, text }: Line): string => `${seconds.toFixed(3).padStart(8)} s  ${text}`;

const note = (seconds: number, text: string): string =>
  inWords({ type: 'step', seconds, text: `...     ${text}` });

/** Equal for lines that differ only in their fencing tokens, of which each lease has a new one. */
const nameOf = ({ text }: Line): string => text.replace(/fencingToken: \d+/g, '');

/**
 * Of lines that are repeated while nothing changes, only the last ones, and how many there were
 * before.
 */
const lastOf = (lines: readonly Line[]): readonly string[] => {
  const last = new Map<string, Line>();
  for (const line of lines) {
    last.delete(nameOf(line));
    last.set(nameOf(line), line);
  }
  const kept = [...last.values()];
  const left = lines.length - kept.length;
  if (left < 2) return lines.map(inWords);
  return [
    note(kept[0]?.seconds ?? 0, `${left} lines that are repeated below`),
    ...kept.map(inWords),
  ];
};

const folded = (lines: readonly Line[]): readonly string[] => {
  const kept: string[] = [];
  let from = 0;
  for (const [at, line] of lines.entries()) {
    if (line.type !== 'change') continue;
    kept.push(...lastOf(lines.slice(from, at)), inWords(line));
    from = at + 1;
  }
  return [...kept, ...lastOf(lines.slice(from))];
};

export class Trace {
  readonly #lines: Line[] = [];
  #end = 0;

  add(line: Line): void {
    this.#lines.push(line);
    if (line.type !== 'step') this.#end = this.#lines.length;
  }

  /** The lines up to the last change, without repeated ones, and the answers to it. */
  get lines(): readonly string[] {
    const [before, answers] = [
      this.#lines.slice(0, this.#end),
      this.#lines.slice(this.#end, this.#end + ANSWERS),
    ];
    const more = this.#lines.length - before.length - answers.length;
    const lines = [...folded(before), ...answers.map(inWords)];
    if (more === 0) return lines;
    const seconds = answers.at(-1)?.seconds ?? 0;
    return [...lines, note(seconds, `${more} more lines, in which nothing changes but leases`)];
  }
}
