import { BARE, ENGINE, FAIR, fairGroup, fairWriteOperations } from './fair-figures.js';
import type { Measurement } from './harness/measure.js';
import type { Results } from './results.js';
import { countOf, rateOf, storeNames } from './store-figures.js';

const columns = (['always', 'later'] as const).flatMap((sync) =>
  [1, 32].map((callers) => ({ sync, callers })),
);

const ratioOf = ({ ratios }: Measurement, limit: string): string =>
  ratios[limit]?.wall.median.toFixed(2) ?? '-';

/**
 * The rate of Colloquy, and in brackets how much of the rate by hand that is: with the same
 * guarantees, and of the bare command.
 */
export const fairTable = ({ groups }: Results): string => {
  const cellOf = (name: string, callers: number): string => {
    const found = groups
      .find(({ group, callers: those }) => group === name && those === callers)
      ?.measurements.find(({ subject }) => subject === ENGINE);
    if (found === undefined) return '-';
    return `${countOf(rateOf(found))} (${ratioOf(found, FAIR)}, ${ratioOf(found, BARE)})`;
  };
  const rows = storeNames
    .filter((store) => store !== 'memory')
    .flatMap((store) =>
      fairWriteOperations.map((operation) => {
        const cells = columns.map(({ sync, callers }) =>
          cellOf(fairGroup(store, operation, sync), callers),
        );
        return `| ${store}: ${operation} | ${cells.join(' | ')} |`;
      }),
    );
  return [
    '| Calls a second | always, 1 caller | 32 callers | later, 1 caller | 32 callers |',
    '|---|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
};
