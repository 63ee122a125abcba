/** What a replay has come to. */
export interface ReplayReport {
  readonly conversations: number;
  readonly turns: number;
  readonly heldMs: number;
  readonly readMs: number;
  /** Lines that were no conversations, conversations that failed, and all that was not read back as it was told. */
  readonly problems: readonly string[];
}

const perSecond = (count: number, ms: number): string => Math.round((count * 1000) / Math.max(ms, 1)).toString();

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The report for a person. */
export const reportText = ({ conversations, turns, heldMs, readMs, problems }: ReplayReport, place: string): string =>
  [
    ...problems,
    `${plural(conversations, 'conversation')}, ${plural(turns, 'turn')}, kept in ${place}`,
    `held in ${(heldMs / 1000).toFixed(1)} s: ${perSecond(conversations, heldMs)} conversations/s, ${perSecond(turns, heldMs)} turns/s`,
    `read back in ${(readMs / 1000).toFixed(1)} s: ${perSecond(conversations, readMs)} sessions/s`,
    problems.length === 0 ? 'no difference' : plural(problems.length, 'problem'),
  ].join('\n');
