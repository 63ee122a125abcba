import { type Bar, count, leastCpu, ratio } from './bar.js';
import {
  BARE,
  cycleFigures,
  ENGINE,
  FAIR,
  type FairOperation,
  fairGroup,
  GAP_FIGURE,
  IMPORT_FIGURE,
  instructionsOf,
} from './fair-figures.js';

interface How {
  readonly limit: string;
  /** Compared by the clock, on a database that waits for the disk. Default: by CPU time. */
  readonly isRate?: boolean;
}

const besideFair: How = { limit: FAIR };
const besideBare: How = { limit: BARE };
const rateOfFair: How = { limit: FAIR, isRate: true };
const rateOfBare: How = { limit: BARE, isRate: true };

const nameOf = ({ limit, isRate }: How): string => {
  const hand = limit === FAIR ? 'the same guarantees by hand' : 'a bare call by hand';
  return `${isRate ? 'rate' : 'CPU'} of ${hand}`;
};

/** The least of a ratio with one caller, and with 32 of them. */
const barsOf = (
  store: string,
  operation: FairOperation,
  how: How,
  least: { readonly one?: number; readonly many?: number },
): readonly Bar[] => {
  const { limit, isRate = false } = how;
  const place = {
    group: fairGroup(store, operation, isRate ? 'always' : 'never'),
    subject: ENGINE,
    limit,
  };
  return [
    { callers: 1, least: least.one, label: '1 caller' },
    { callers: 32, least: least.many, label: '32 callers' },
  ].flatMap(({ callers, least: bar, label }) =>
    bar === undefined
      ? []
      : {
          figure: `${store} ${operation}, ${label}: ${nameOf(how)}`,
          least: bar,
          read: isRate ? ratio({ ...place, callers }) : leastCpu({ ...place, callers }),
        },
  );
};

const atMost = (figure: string, most: number): Bar => ({ figure, most, read: count(figure) });

/** What a call may cost beside code by hand, and what else must not cost much. */
export const fairBars: readonly Bar[] = [
  ...barsOf('Redis', 'append', besideFair, { one: 0.65, many: 1.2 }),
  ...barsOf('Redis', 'append with an operationId', besideFair, { one: 0.65, many: 1.2 }),
  ...barsOf('Redis', 'create', besideFair, { one: 0.6, many: 0.85 }),
  ...barsOf('Redis', 'append', rateOfFair, { one: 0.72, many: 0.95 }),
  ...barsOf('Redis', 'page of ten', besideBare, { one: 0.5, many: 0.44 }),
  ...barsOf('Redis', 'get', besideBare, { one: 0.73, many: 0.64 }),
  ...barsOf('SQLite', 'get', besideBare, { one: 0.62 }),
  ...barsOf('SQLite', 'page of ten', besideBare, { one: 0.65 }),
  ...barsOf('PostgreSQL', 'page of ten', besideBare, { one: 0.7, many: 0.7 }),
  ...barsOf('PostgreSQL', 'append', rateOfBare, { many: 1.3 }),
  ...barsOf('PostgreSQL', 'create', rateOfBare, { many: 1.2 }),
  atMost(instructionsOf('append', ENGINE, 1), 180),
  atMost(instructionsOf('append', ENGINE, 16), 95),
  atMost(cycleFigures.scripts, 2),
  atMost(cycleFigures.diskWaits, 2),
  atMost(GAP_FIGURE, 110),
  atMost(IMPORT_FIGURE, 20),
];
