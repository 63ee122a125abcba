import { type Bar, count, type Place, ratio } from './bar.js';
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

type How = Pick<Place, 'by'> & { readonly limit: string; readonly isDurable?: boolean };

const besideFair: How = { limit: FAIR, by: 'both' };
const besideBare: How = { limit: BARE, by: 'both' };
const clientBesideBare: How = { limit: BARE, by: 'cpu' };
const rateOfFair: How = { limit: FAIR, by: 'wall', isDurable: true };
const rateOfBare: How = { limit: BARE, by: 'wall', isDurable: true };

const nameOf = ({ limit, by }: How): string => {
  const what = { wall: 'rate', cpu: 'CPU', both: 'CPU with the server' }[by ?? 'wall'];
  const isFair = limit === FAIR;
  return `${what}, of ${isFair ? 'the same guarantees by hand' : 'bare by hand'}`;
};

/** The least of a ratio with one caller, and with 32 of them. */
const barsOf = (
  store: string,
  operation: FairOperation,
  how: How,
  least: { readonly one?: number; readonly many?: number },
): readonly Bar[] => {
  const group = fairGroup(store, operation, how.isDurable ?? false);
  return [
    { callers: 1, least: least.one, label: '1 caller' },
    { callers: 32, least: least.many, label: '32 callers' },
  ].flatMap(({ callers, least: bar, label }) =>
    bar === undefined
      ? []
      : {
          figure: `${store} ${operation}, ${label}: ${nameOf(how)}`,
          least: bar,
          read: ratio({ ...how, group, subject: ENGINE, callers }),
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
  ...barsOf('SQLite', 'get', clientBesideBare, { one: 0.62 }),
  ...barsOf('SQLite', 'page of ten', clientBesideBare, { one: 0.65 }),
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
