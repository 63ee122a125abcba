import type { Measure } from './gauge.js';
import type { SessionRow } from './session-row.js';
import { asCount } from './text.js';

/** What a session has used, by counter, and what is left of its budgets. */
export const measuresOf = ({
  usage = {},
  budget = {},
  status,
}: Pick<SessionRow, 'usage' | 'budget' | 'status'>): ReadonlyMap<string, Measure> =>
  new Map(
    Object.entries(usage).map(([name, used]) => {
      // A counter may be named `constructor`.
      const limit = (Object.hasOwn(budget, name) ? budget[name] : 0) ?? 0;
      const text = `${name} ${asCount(used)}${limit > 0 ? ` of ${asCount(limit)}` : ''}`;
      const isOpen = limit > 0 && status !== 'TERMINATED';
      const left = isOpen ? `${asCount(Math.max(0, limit - used))} left` : '';
      return [name, { used, limit, text, left }];
    }),
  );

/** The budget of which the largest share is used, or else the first counter; empty for none. */
export const shortUsage = (measures: ReadonlyMap<string, Measure>): string => {
  const shareOf = ({ used, limit }: Measure) => (limit > 0 ? used / limit : -1);
  const [first] = [...measures].sort(([, a], [, b]) => shareOf(b) - shareOf(a));
  if (first === undefined) return '';
  const [name, measure] = first;
  if (measure.limit === 0) return measure.text;
  return `${name} ${Math.floor(shareOf(measure) * 100)}%`;
};
