/** A call between two instants on a scale that all callers share. */
interface Call {
  readonly began: number;
  readonly ended: number;
}

/** An append of one entry whose text nobody else has. */
export interface Append extends Call {
  readonly content: string;
  readonly outcome: 'applied' | 'not_applied' | 'unknown';
}

/** What a read has shown. */
export interface Look extends Call {
  readonly status: string;
  readonly history: readonly string[];
}

const isPrefix = (part: readonly string[], whole: readonly string[]): boolean =>
  part.length <= whole.length && part.every((content, at) => content === whole[at]);

/** What was applied is there once, what was not is not there, and what followed on the clock follows in the history. */
const ofAppends = (appends: readonly Append[], final: readonly string[]): readonly string[] => {
  const place = new Map(final.map((content, at) => [content, at]));
  const anomalies = final.length === place.size ? [] : ['an entry is there twice'];
  let latestPlace = -1;
  const ended = [...appends].filter(({ outcome }) => outcome === 'applied').sort((a, b) => a.ended - b.ended);
  let settled = 0;
  for (const { content, outcome, began } of [...appends].sort((a, b) => a.began - b.began)) {
    const at = place.get(content);
    if (outcome === 'applied' && at === undefined) anomalies.push(`${content} is lost`);
    if (outcome === 'not_applied' && at !== undefined) anomalies.push(`${content} is there and was refused`);
    for (let before = ended[settled]; before !== undefined && before.ended < began; before = ended[settled]) {
      latestPlace = Math.max(latestPlace, place.get(before.content) ?? -1);
      settled += 1;
    }
    if (at !== undefined && at < latestPlace) anomalies.push(`${content} stands before what was there already`);
  }
  return anomalies;
};

/** Each look is a prefix of the end, never shorter than an earlier one, and holds what was acknowledged before it. */
const ofLooks = (appends: readonly Append[], looks: readonly Look[], final: readonly string[]): readonly string[] => {
  const anomalies: string[] = [];
  const place = new Map(final.map((content, at) => [content, at]));
  const bounds = [
    ...appends
      .filter(({ outcome }) => outcome === 'applied')
      .map(({ content, ended }) => ({ ended, length: (place.get(content) ?? -1) + 1 })),
    ...looks.map(({ ended, history }) => ({ ended, length: history.length })),
  ].sort((a, b) => a.ended - b.ended);
  let known = 0;
  let atLeast = 0;
  for (const { history, began } of [...looks].sort((a, b) => a.began - b.began)) {
    if (!isPrefix(history, final)) anomalies.push(`a look of ${history.length} entries is no prefix of the end`);
    for (let bound = bounds[known]; bound !== undefined && bound.ended < began; bound = bounds[known]) {
      atLeast = Math.max(atLeast, bound.length);
      known += 1;
    }
    if (history.length < atLeast) anomalies.push(`a look has ${history.length} entries, and there were ${atLeast}`);
  }
  return anomalies;
};

/** Once a session has ended, nobody sees it otherwise. */
const ofStatuses = (looks: readonly Look[]): readonly string[] => {
  const ends = looks.filter(({ status }) => status === 'TERMINATED').map(({ ended }) => ended);
  const firstEnd = Math.min(Number.POSITIVE_INFINITY, ...ends);
  const late = looks.filter(({ status, began }) => began > firstEnd && status !== 'TERMINATED');
  const illegal = looks.filter(({ status }) => !['ACTIVE', 'PAUSED', 'TERMINATED'].includes(status));
  return [...late, ...illegal].map(({ status }) => `it was seen ${status}, and cannot have been`);
};

/** What the calls and the final history cannot both be, if all were done on one session one after another. */
export const anomaliesOf = (
  appends: readonly Append[],
  looks: readonly Look[],
  final: readonly string[],
): readonly string[] => [...ofAppends(appends, final), ...ofLooks(appends, looks, final), ...ofStatuses(looks)];
