import { type Bar, times } from './bar.js';
import { storeNames } from './store-figures.js';

/** Rewinds cost as appends do, and reads what they show. */
export const rewindBars: readonly Bar[] = storeNames.flatMap((store): readonly Bar[] => [
  {
    figure: `${store} rewind by an entry, times as long as an append`,
    most: 1.25,
    read: times({
      group: `${store} rewind beside append`,
      subject: 'rewind by an entry',
      limit: 'append',
    }),
  },
  ...['answers written anew', 'rewinds that stuck'].map(
    (subject): Bar => ({
      figure: `${store} the last ten entries, 10,000 ${subject}, times as long as without`,
      most: 1.5,
      read: times({ group: `${store} the last ten entries`, subject, limit: 'without rewinds' }),
    }),
  ),
]);
