import { limitIn, usedText } from '../../session/used-text.js';
import type { Measure } from './gauge.js';
import type { SessionRow } from './session-row.js';
import { asCount } from './text.js';

export const measuresOf = ({
  usage = {},
  budget = {},
  status,
}: Pick<SessionRow, 'usage' | 'budget' | 'status'>): ReadonlyMap<string, Measure> =>
  new Map(
    Object.entries(usage).map(([name, used]) => {
      const limit = limitIn(budget, name);
      const text = usedText(name, used, limit, asCount);
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
