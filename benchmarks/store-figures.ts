import type { Measurement } from './harness/measure.js';
import type { Results } from './results.js';

/** In the order of the pictures and tables. */
export const storeNames = ['memory', 'Redis', 'SQLite', 'PostgreSQL'] as const;

export type StoreName = (typeof storeNames)[number];

/** A figure that each of the stores has. */
export interface StoreFigure {
  readonly label: string;
  /** The group without the store's name. */
  readonly group: string;
  readonly callers: 1 | 32;
  readonly subject: string;
  /** The same by hand. */
  readonly limit: string;
}

const list = (label: string, callers: 1 | 32, subject: string): StoreFigure => ({
  label,
  group: 'list beside the query by hand',
  callers,
  subject,
  limit: `${subject}, by hand`,
});

const overHttp = (callers: 1 | 32): StoreFigure => ({
  label: `over HTTP, any page of 10,000, ${callers === 1 ? '1 caller' : '32 callers'}`,
  group: 'list over HTTP, any page of 10000 sessions',
  callers,
  subject: 'nodeListener',
  limit: 'node:http and the query, by hand',
});

const append = (label: string, callers: 1 | 32, subject = 'append'): StoreFigure => ({
  label,
  group: 'append',
  callers,
  subject,
  limit: 'a bare insert of an entry, by hand',
});

const create = (label: string, callers: 1 | 32, subject = 'create'): StoreFigure => ({
  label,
  group: 'create in one tenant',
  callers,
  subject,
  limit: 'an insert of a session, by hand',
});

const MOST = '1000000 sessions';

export const listFigures = {
  first: list('page 1 of 1,000,000 sessions', 1, `${MOST}, page 1`),
  firstOfMany: list('the same, 32 callers', 32, `${MOST}, page 1`),
  few: list('page 1 of 1,000 sessions', 1, '1000 sessions, page 1'),
  light: list('page 1 without histories', 1, `${MOST}, page 1, light`),
  deep: list('page 50,000 by its number', 1, `${MOST}, page 50000`),
  cursor: list('page 50,000 by a cursor', 1, `${MOST}, after a cursor at page 50000`),
  http: overHttp(1),
  httpOfMany: overHttp(32),
} as const;

export const writeFigures = {
  append: append('append', 1),
  appendOfMany: append('append, 32 callers', 32),
  appendToOne: append('append, 32 callers, one session', 32, 'append to one session'),
  appendEvents: append('append with events, 32 callers', 32, 'append, events on'),
  create: create('create', 1),
  createOfMany: create('create, 32 callers, one tenant', 32),
  createEvents: create('create with events, 32 callers', 32, 'create, events on'),
} as const;

export const groupOf = (store: StoreName, { group }: Pick<StoreFigure, 'group'>): string =>
  `stores, ${store}: ${group}`;

export const measurementOf = (
  results: Results,
  store: StoreName,
  figure: StoreFigure,
): Measurement | undefined =>
  results.groups
    .find(({ group, callers }) => group === groupOf(store, figure) && callers === figure.callers)
    ?.measurements.find(({ subject }) => subject === figure.subject);

/** How many calls a second. */
export const rateOf = ({ wallUs }: Measurement): number => 1e6 / wallUs.median;

const timeOf = (us: number): string => {
  const ms = us / 1000;
  return ms >= 1 ? `${ms.toFixed(ms >= 10 ? 0 : 1)} ms` : `${us.toFixed(us >= 10 ? 0 : 1)} us`;
};

export const countOf = (value: number): string =>
  Number(value.toPrecision(value >= 1000 ? 3 : 2)).toLocaleString('en');

/** The times that callers waited, after a comma. */
const waitsOf = ({ latencyUs }: Measurement): string =>
  latencyUs === undefined
    ? ''
    : `, p50 ${timeOf(latencyUs.p50.median)}, p99 ${timeOf(latencyUs.p99.median)}`;

/** The rate, the times that callers waited, and how much of the rate by hand that is. */
const textOf = (measurement: Measurement, { limit }: StoreFigure): string => {
  const ratio = measurement.ratios[limit]?.wall.median;
  const beside = ratio === undefined ? '' : `, ${ratio.toFixed(2)} of by hand`;
  return `${countOf(rateOf(measurement))}${waitsOf(measurement)}${beside}`;
};

/** The ratio to the rate by hand, in brackets. */
const inBrackets = ({ ratios }: Measurement, { limit }: StoreFigure): string =>
  ` (${(ratios[limit]?.wall.median ?? Number.NaN).toFixed(2)})`;

/** What one caller and what 32 callers make of the same call. */
export interface CallersFigure {
  readonly label: string;
  readonly one: StoreFigure;
  readonly many: StoreFigure;
}

/** The rate, and in brackets how much of the rate by hand that is. */
export const shortTextOf = (measurement: Measurement, figure: StoreFigure): string =>
  `${countOf(rateOf(measurement))}${inBrackets(measurement, figure)}`;

/**
 * A table with a row for each database and call: how many calls one caller makes, and how many 32
 * do.
 */
export const callersTable = (results: Results, figures: readonly CallersFigure[]): string => {
  const cellOf = (store: StoreName, figure: StoreFigure): string => {
    const found = measurementOf(results, store, figure);
    return found === undefined ? '-' : shortTextOf(found, figure);
  };
  const rows = storeNames
    .filter((store) => store !== 'memory')
    .flatMap((store) =>
      figures.map(
        ({ label, one, many }) =>
          `| ${store}: ${label} | ${cellOf(store, one)} | ${cellOf(store, many)} |`,
      ),
    );
  return ['| Calls a second | 1 caller | 32 callers |', '|---|---:|---:|', ...rows].join('\n');
};

/** A table with a column for each store. */
export const storeTable = (
  results: Results,
  figures: readonly StoreFigure[],
  write = textOf,
): string =>
  [
    `| Calls a second | ${storeNames.join(' | ')} |`,
    `|---|${storeNames.map(() => '---').join('|')}|`,
    ...figures.map((figure) => {
      const cells = storeNames.map((store) => {
        const found = measurementOf(results, store, figure);
        return found === undefined ? '-' : write(found, figure);
      });
      return `| ${figure.label} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');

/**
 * The rate with the times that callers waited, and in brackets how much of the rate by hand that
 * is.
 */
const summaryOf = (measurement: Measurement, figure: StoreFigure): string =>
  `${countOf(rateOf(measurement))}${waitsOf(measurement)}${inBrackets(measurement, figure)}`;

/** What a user looks for first. */
export const mainFigures: readonly StoreFigure[] = [
  writeFigures.append,
  writeFigures.create,
  { ...listFigures.first, label: 'a page of ten, of 1,000,000 sessions' },
  { ...listFigures.light, label: 'a page of ten without histories' },
];

export const summaryTable = (results: Results): string =>
  storeTable(results, mainFigures, summaryOf);
