import type { PageRange } from './session-store.js';

/** Whether a range needs a search, because no index has its sessions in their order. */
export const isSearch = ({ order, labels = {}, status }: PageRange): boolean => {
  if (order === 'updated') return true;
  const count = Object.keys(labels).length;
  return count > 1 || (count === 1 && status !== undefined);
};
