import { type Bar, ratio, times } from './bar.js';
import {
  groupOf,
  listFigures,
  type StoreFigure,
  type StoreName,
  storeNames,
  writeFigures,
} from './store-figures.js';

const byHand = (store: StoreName, figure: string, least: number, place: StoreFigure): Bar => ({
  figure: `${store} ${figure}`,
  least,
  read: ratio({ ...place, group: groupOf(store, place) }),
});

/**
 * Of each store beside the same by hand on its database. An array in memory has no insert to
 * compare with.
 */
export const storeBars: readonly Bar[] = storeNames.flatMap((store) => [
  byHand(store, 'list of 1,000,000 sessions, page 1, of the query by hand', 0.6, listFigures.first),
  byHand(store, 'the same, 32 callers', 0.6, listFigures.firstOfMany),
  byHand(store, 'the same, 1 caller, page 50,000 by its number', 0.6, listFigures.deep),
  byHand(store, 'the same, page 50,000 by a cursor', 0.6, listFigures.cursor),
  {
    figure: `${store} list with historyLimit 0, 10,000 entries a session, times as long as with 10`,
    most: 1.25,
    read: times({
      group: groupOf(store, { group: 'light list by length of history' }),
      subject: '10000 entries',
      limit: '10 entries',
    }),
  },
  ...(store === 'memory'
    ? []
    : [
        byHand(store, 'append, of a bare insert as durable', 0.5, writeFigures.append),
        byHand(
          store,
          'append, 32 callers, of a bare insert as durable',
          0.5,
          writeFigures.appendOfMany,
        ),
      ]),
]);
