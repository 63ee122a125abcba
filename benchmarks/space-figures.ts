import type { Results } from './results.js';
import { countOf, type StoreName, storeNames } from './store-figures.js';

type Counts = Results['counts'];

/** Where the bytes of a session with ten entries are counted, and what they are bytes of. */
const places: Readonly<Record<StoreName, { readonly figure: string; readonly of: string }>> = {
  memory: { figure: 'heap of a session with 10 entries, 1000000 sessions in memory', of: 'heap' },
  Redis: { figure: 'Redis memory of a live session with 10 entries', of: "the server's memory" },
  SQLite: { figure: 'SQLite file of a session with 10 entries', of: 'disk' },
  PostgreSQL: { figure: 'PostgreSQL tables of a session with 10 entries', of: 'disk' },
};

const bytesOf = (counts: Counts, store: StoreName): number | undefined =>
  counts.find(({ figure }) => figure === places[store].figure)?.value;

/** A row: sessions with ten entries that fit into a gigabyte. */
export const sessionsPerGigabyte = (counts: Counts): string => {
  const cells = storeNames.map((store) => {
    const bytes = bytesOf(counts, store);
    return bytes === undefined ? '-' : countOf(1e9 / bytes);
  });
  return `| sessions in a GB, ten entries each | ${cells.join(' | ')} |`;
};

/** In the order of the table of stores in the project's README. */
const readmeOrder: readonly StoreName[] = ['memory', 'SQLite', 'PostgreSQL', 'Redis'];

/**
 * The cells of a row: the space of a session with ten entries. Where it is not counted, only of
 * what.
 */
export const spaceCells = (counts: Counts): readonly string[] =>
  readmeOrder.map((store) => {
    const bytes = bytesOf(counts, store);
    const { of } = places[store];
    return bytes === undefined ? of : `${(bytes / 1000).toFixed(1)} kB of ${of}`;
  });
