import { type Bar, count, ratio, times } from './bar.js';
import { fairBars } from './fair-bars.js';
import type { Judged, Results } from './results.js';
import { rewindBars } from './rewind-bars.js';
import { storeBars } from './store-bars.js';

const JSON_TEXT = 'JSON text of a session with 10 entries';

/** What a session takes beyond 1.15 times its JSON text. */
const overhead =
  (figure: string) =>
  (results: Results): number | undefined => {
    const [taken, text] = [count(figure)(results), count(JSON_TEXT)(results)];
    return taken === undefined || text === undefined ? undefined : taken - 1.15 * text;
  };

const redisList = {
  group: 'redis list, any page of 10, 10 entries',
  subject: 'list',
  limit: 'GET of the joined page, JSON.parse',
};
const redisHttp = {
  group: 'HTTP list, Redis, any page of 10, 10 entries',
  subject: 'nodeListener',
  by: 'cpu',
} as const;
const memoryHttp = { ...redisHttp, group: 'HTTP list, memory, any page of 10, 10 entries' };
const append = {
  group: 'redis append to one session',
  subject: 'append',
  limit: 'EVALSHA of a bare APPEND',
};
const change = {
  group: 'redis start, pause and terminate',
  limit: 'GET, then EVALSHA of a bare SET',
};
const create = { group: 'redis create', subject: 'create', limit: 'SET and ZADD in one flight' };
const events = {
  group: 'redis append, events on and off',
  subject: 'events on',
  limit: 'events off',
};
const light = {
  group: 'redis list without histories, any page of 10',
  subject: 'historyLimit 0, 10 entries',
};
const byLabel = {
  group: 'redis list by label, any page of 10',
  limit: 'the label, without other sessions',
};

const lists: readonly Bar[] = [
  {
    figure: 'Redis list, 32 callers, of GET the joined page + JSON.parse',
    least: 0.52,
    read: ratio({ ...redisList, callers: 32 }),
  },
  { figure: 'the same, 1 caller', least: 0.45, read: ratio({ ...redisList, callers: 1 }) },
  {
    figure:
      'Redis list over HTTP, server CPU, of ZREVRANGE + MGET + JSON.parse + JSON.stringify by hand',
    least: 0.8,
    read: ratio({ ...redisHttp, limit: 'ZREVRANGE, MGET, JSON.parse and JSON.stringify by hand' }),
  },
  {
    figure: 'memory list over HTTP, server CPU, of a slice + JSON.stringify by hand',
    least: 0.8,
    read: ratio({ ...memoryHttp, limit: 'slice and JSON.stringify by hand' }),
  },
  {
    figure: 'memory list over HTTP, server CPU, of passing on the bytes of a page',
    least: 0.32,
    read: ratio({ ...memoryHttp, limit: 'the bytes of a page' }),
  },
  {
    figure: 'memory list over HTTP, server CPU, of the same service listed and stringified by hand',
    least: 0.87,
    read: ratio({ ...memoryHttp, limit: 'the same service, listed and stringified by hand' }),
  },
  {
    figure: 'round trips of one Redis list',
    most: 2,
    read: count('round trips of one Redis list'),
  },
  ...(['redis', 'memory'] as const).flatMap((store): readonly Bar[] => {
    const sizes = { group: `${store} list by number of sessions`, limit: '1000 sessions, page 1' };
    const name = store === 'redis' ? 'Redis' : 'memory';
    return [
      {
        figure: `${name} list, 1,000,000 sessions beside 1,000, times as long`,
        most: 1.25,
        read: times({ ...sizes, subject: '1000000 sessions, page 1' }),
      },
      {
        figure: `${name} list, page 50,000 of them beside page 1 of 1,000 sessions, times as long`,
        most: 1.25,
        read: times({ ...sizes, subject: '1000000 sessions, page 50000' }),
      },
    ];
  }),
];

const writes: readonly Bar[] = [
  {
    figure: 'Redis append, 1 caller, of a bare APPEND',
    least: 0.68,
    read: ratio({ ...append, callers: 1 }),
  },
  {
    figure: 'the same, 32 callers on one session',
    least: 0.58,
    read: ratio({ ...append, callers: 32 }),
  },
  {
    figure: 'Redis append with events, 1 caller, of a bare APPEND',
    least: 0.6,
    read: ratio({ ...append, subject: 'append with events', callers: 1 }),
  },
  {
    figure: 'the same, 32 callers on one session',
    least: 0.5,
    read: ratio({ ...append, subject: 'append with events', callers: 32 }),
  },
  ...(['start', 'pause', 'terminate'] as const).map(
    (subject): Bar => ({
      figure: `Redis ${subject}, of GET + a bare SET`,
      least: 0.5,
      read: ratio({ ...change, subject }),
    }),
  ),
  {
    figure: 'Redis create, 1 caller, of SET + ZADD in one flight',
    least: 0.9,
    read: ratio({ ...create, callers: 1 }),
  },
  { figure: 'the same, 32 callers', least: 1.2, read: ratio({ ...create, callers: 32 }) },
  {
    figure: 'the same with events, status index, time limit and a label, 1 caller',
    least: 0.8,
    read: ratio({ ...create, subject: 'create, everything on', callers: 1 }),
  },
  {
    figure: 'the same, 32 callers',
    least: 0.9,
    read: ratio({ ...create, subject: 'create, everything on', callers: 32 }),
  },
  {
    figure: 'server CPU of a create, everything on, of SET + ZADD by hand',
    most: 1.7,
    read: count('server CPU of a create, everything on, of SET and ZADD by hand'),
  },
  {
    figure: 'Redis append with events, 1 caller, of the same without',
    least: 0.6,
    read: ratio({ ...events, callers: 1 }),
  },
  { figure: 'the same, 32 callers', least: 0.6, read: ratio({ ...events, callers: 32 }) },
  ...[
    ...[
      'create',
      'start',
      'append',
      'append with an operationId',
      'pause',
      'resume',
      'lease',
      'release',
    ],
    ...['a pause of a session that another process wrote last', 'terminate', 'fail', 'delete'],
  ].map(
    (operation): Bar => ({
      figure: `commands of ${operation}, events and status index on`,
      most: 1,
      read: count(`commands of ${operation}, events and status index on`),
    }),
  ),
  ...(['redis', 'memory'] as const).map(
    (store): Bar => ({
      figure: `${store === 'redis' ? 'Redis' : 'memory'} append at 100,000 entries beside 10, times as long`,
      most: 1.25,
      read: times({
        group: `${store} append by length of history`,
        subject: '100000 entries',
        limit: '10 entries',
      }),
    }),
  ),
];

const others: readonly Bar[] = [
  {
    figure: '401 without a key, of node:http',
    least: 0.85,
    read: ratio({ group: 'HTTP 401', subject: 'nodeListener, no key', limit: 'the same bytes' }),
  },
  {
    figure: '401 with a wrong key, of node:http',
    least: 0.85,
    read: ratio({ group: 'HTTP 401', subject: 'nodeListener, wrong key', limit: 'the same bytes' }),
  },
  ...['an ended', 'a live'].map(
    (kind): Bar => ({
      figure: `Redis memory of ${kind} session less 1.15 times its JSON text, bytes`,
      most: 1200,
      read: overhead(`Redis memory of ${kind} session with 10 entries`),
    }),
  ),
];

const lightLists: readonly Bar[] = [
  {
    figure: 'Redis list with historyLimit 0, 32 callers, of GET the joined light page + JSON.parse',
    least: 0.45,
    read: ratio({ ...light, limit: 'GET of the joined light page, JSON.parse', callers: 32 }),
  },
  {
    figure: 'the same with 10,000 entries a session, times as long as with 10',
    most: 1.25,
    read: times({
      ...light,
      subject: 'historyLimit 0, 10000 entries',
      limit: 'historyLimit 0, 10 entries',
      callers: 32,
    }),
  },
  {
    figure:
      'Redis list with historyLimit 20, 32 callers, 10,000 entries a session, times as long as with 20',
    most: 3,
    read: times({
      group: 'redis list with the latest 20 entries, any page of 10',
      subject: 'historyLimit 20, 10000 entries',
      limit: 'historyLimit 20, 20 entries',
      callers: 32,
    }),
  },
  {
    figure:
      'Redis list by label, 1,000 of 100,000 sessions, 32 callers, times as long as without the others',
    most: 1.25,
    read: times({ ...byLabel, subject: 'the label of 1 %', callers: 32 }),
  },
];

const redisPeers = { group: 'list on Redis, 10000 sessions, page of 10', limit: 'colloquy list' };

const peers: readonly Bar[] = [
  {
    figure: 'Redis list at 10,000 sessions, times as fast as @mastra/redis listThreads',
    least: 200,
    read: times({ ...redisPeers, subject: '@mastra/redis listThreads' }),
  },
  {
    figure: 'memory list at 10,000 sessions, times as fast as @google/adk listSessions',
    least: 1000,
    read: times({
      group: 'list in memory, 10000 sessions, page of 10',
      subject: '@google/adk listSessions, with a limit',
      limit: 'colloquy list',
    }),
  },
];

const bars: readonly Bar[] = [
  ...lists,
  ...writes,
  ...others,
  ...lightLists,
  ...storeBars,
  ...fairBars,
  ...rewindBars,
  ...peers,
];

/** The bars whose figures these results have. */
export const judge = (results: Results): readonly Judged[] =>
  bars.flatMap(({ figure, least, most, read }) => {
    const found = read(results);
    if (found === undefined) return [];
    const value = typeof found === 'number' ? found : found.median;
    const reached =
      value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
    return [
      {
        figure,
        bar: least === undefined ? `<= ${most}` : `>= ${least}`,
        value,
        reached,
        ...(typeof found === 'number' ? {} : { quartiles: [found.lower, found.upper] as const }),
      },
    ];
  });
