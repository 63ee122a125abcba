import type { Results } from './results.js';
import { countOf, type StoreName, storeNames } from './store-figures.js';

type Counts = Results['counts'];

/** Where the bytes of a session with ten entries are counted. */
const places: Readonly<Record<StoreName, string>> = {
  memory: 'heap of a session with 10 entries, 1000000 sessions in memory',
  Redis: 'Redis memory of a live session with 10 entries',
  SQLite: 'SQLite file of a session with 10 entries',
  PostgreSQL: 'PostgreSQL tables of a session with 10 entries',
};

const bytesOf = (counts: Counts, store: StoreName): number | undefined =>
  counts.find(({ figure }) => figure === places[store])?.value;

/** A row: sessions with ten entries that fit into a gigabyte. */
export const sessionsPerGigabyte = (counts: Counts): string => {
  const cells = storeNames.map((store) => {
    const bytes = bytesOf(counts, store);
    return bytes === undefined ? '-' : countOf(1e9 / bytes);
  });
  return `| sessions in a GB, ten entries each | ${cells.join(' | ')} |`;
};
