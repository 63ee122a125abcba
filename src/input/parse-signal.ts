import type { WatchSignal } from '../session/session-event.js';
import { hasMethods, isFields } from './parse-fields.js';
import type { IssueList } from './parse-safely.js';

const isSignal = (value: unknown): value is WatchSignal =>
  isFields(value) &&
  typeof value['aborted'] === 'boolean' &&
  hasMethods(value, 'addEventListener', 'removeEventListener');

/** An AbortSignal, if there is one. */
export const parseSignal = (
  issues: IssueList,
  path: string,
  signal: unknown,
): WatchSignal | undefined => {
  if (isSignal(signal)) return signal;
  issues.check(signal === undefined, path, 'must be an AbortSignal');
  return undefined;
};
