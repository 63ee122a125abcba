import type { Judged, Results } from './results.js';

/** What a figure must reach. */
export interface Bar {
  readonly figure: string;
  readonly least?: number;
  readonly most?: number;
  /** The figure in some results, if they have it. */
  readonly read: (results: Results) => number | undefined;
}

const ratio =
  (group: string, subject: string, callers?: number) =>
  ({ groups }: Results): number | undefined =>
    groups
      .find((found) => found.group === group && (callers === undefined || found.callers === callers))
      ?.measurements.find((measurement) => measurement.subject === subject)?.ratio.median;

/** How many times the limit's time. */
const times =
  (group: string, subject: string) =>
  (results: Results): number | undefined => {
    const found = ratio(group, subject)(results);
    return found === undefined ? undefined : 1 / found;
  };

const count =
  (figure: string) =>
  ({ counts }: Results): number | undefined =>
    counts.find((found) => found.figure === figure)?.value;

const PAGE = 'list, page of 10, 10 entries';
const ENDED = 'Redis memory of an ended session with 10 entries';
const LIVE = 'Redis memory of a live session with 10 entries';
const JSON_TEXT = 'JSON text of a session with 10 entries';

/** What a session takes beyond 1.15 times its JSON text. */
const overhead =
  (figure: string) =>
  (results: Results): number | undefined => {
    const [taken, text] = [count(figure)(results), count(JSON_TEXT)(results)];
    return taken === undefined || text === undefined ? undefined : taken - 1.15 * text;
  };

const bars: readonly Bar[] = [
  {
    figure: 'Redis list, 32 callers, beside GET and JSON.parse',
    least: 0.95,
    read: ratio(`redis ${PAGE}`, 'list', 32),
  },
  {
    figure: 'the same, histories looked at',
    least: 0.7,
    read: ratio(`redis ${PAGE}`, 'list, histories looked at', 32),
  },
  {
    figure: 'Redis list of any page, 32 callers, beside GET and JSON.parse',
    least: 0.95,
    read: ratio(`redis ${PAGE}`, 'list of any page', 32),
  },
  {
    figure: 'the same, histories looked at',
    least: 0.7,
    read: ratio(`redis ${PAGE}`, 'list of any page, histories looked at', 32),
  },
  {
    figure: 'Redis list over HTTP, beside node:http that GETs the joined page',
    least: 0.6,
    read: ratio('HTTP list, Redis store, page of 10, 10 entries', 'nodeListener'),
  },
  {
    figure: 'the same of any page',
    least: 0.6,
    read: ratio('HTTP list, Redis store, page of 10, 10 entries', 'nodeListener, any page'),
  },
  { figure: 'round trips of one Redis list', most: 1, read: count('round trips of one Redis list') },
  {
    figure: 'the same where SORT is not allowed',
    most: 2,
    read: count('round trips of one Redis list where SORT is not allowed'),
  },
  {
    figure: 'Redis list, 1,000,000 sessions beside 1,000, times as long',
    most: 1.25,
    read: times('redis list by number of sessions', '1000000 sessions, page 1'),
  },
  {
    figure: 'Redis list, page 50,000 beside page 1, times as long',
    most: 1.25,
    read: times('redis list by number of sessions', '1000000 sessions, page 50000'),
  },
  {
    figure: 'memory list, 1,000,000 sessions beside 1,000, times as long',
    most: 1.25,
    read: times('memory list by number of sessions', '1000000 sessions, page 1'),
  },
  {
    figure: 'memory list, page 50,000 beside page 1, times as long',
    most: 1.25,
    read: times('memory list by number of sessions', '1000000 sessions, page 50000'),
  },
  { figure: 'memory list, beside an awaited slice', least: 0.2, read: ratio(`memory ${PAGE}`, 'list', 1) },
  {
    figure: 'memory list over HTTP, beside node:http with the same bytes',
    least: 0.6,
    read: ratio('HTTP list, memory store, page of 10, 10 entries', 'nodeListener'),
  },
  {
    figure: 'the same of any page',
    least: 0.6,
    read: ratio('HTTP list, memory store, page of 10, 10 entries', 'nodeListener, any page'),
  },
  { figure: '401 without a key, beside node:http', least: 0.85, read: ratio('HTTP 401', 'nodeListener, no key') },
  { figure: '401 with a wrong key, beside node:http', least: 0.85, read: ratio('HTTP 401', 'nodeListener, wrong key') },
  {
    figure: 'Redis append at 100,000 entries beside 10, times as long',
    most: 1.25,
    read: times('redis append by length of history', '100000 entries'),
  },
  {
    figure: 'memory append at 100,000 entries beside 10, times as long',
    most: 1.25,
    read: times('memory append by length of history', '100000 entries'),
  },
  {
    figure: 'Redis append, 1 caller, beside a bare APPEND',
    least: 0.6,
    read: ratio('redis append to one session', 'append', 1),
  },
  {
    figure: 'Redis append, 32 callers on one session, beside a bare APPEND',
    least: 0.35,
    read: ratio('redis append to one session', 'append', 32),
  },
  {
    figure: 'Redis list at 10,000 sessions, times as fast as @mastra/redis listThreads',
    least: 200,
    read: times('list on Redis, 10000 sessions, page of 10', '@mastra/redis listThreads'),
  },
  {
    figure: 'Redis list at 10,000 sessions, times as fast as connect-redis all',
    least: 100,
    read: times('list on Redis, 10000 sessions, page of 10', 'connect-redis all'),
  },
  {
    figure: 'memory list at 10,000 sessions, times as fast as @google/adk listSessions',
    least: 1000,
    read: times('list in memory, 10000 sessions, page of 10', '@google/adk listSessions, with a limit'),
  },
  { figure: 'Redis memory of an ended session less 1.15 times its JSON text, bytes', most: 400, read: overhead(ENDED) },
  { figure: 'Redis memory of a live session less 1.15 times its JSON text, bytes', most: 400, read: overhead(LIVE) },
];

/** The bars whose figures these results have. */
export const judge = (results: Results): readonly Judged[] =>
  bars.flatMap(({ figure, least, most, read }) => {
    const value = read(results);
    if (value === undefined) return [];
    const reached = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
    return [{ figure, bar: least === undefined ? `<= ${most}` : `>= ${least}`, value, reached }];
  });
