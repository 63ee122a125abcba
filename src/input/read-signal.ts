import type { WatchSignal } from '../events/session-event.js';
import type { IssueList } from './read-safely.js';
import { hasMethods, isFields } from './values.js';

const isSignal = (value: unknown): value is WatchSignal =>
  isFields(value) &&
  typeof value['aborted'] === 'boolean' &&
  hasMethods(value, 'addEventListener', 'removeEventListener');

/** An AbortSignal, if there is one. */
export const readSignal = (issues: IssueList, signal: unknown): WatchSignal | undefined => {
  issues.check(signal === undefined || isSignal(signal), 'signal', 'must be an AbortSignal');
  return isSignal(signal) ? signal : undefined;
};
