import { isFields } from '../input/values.js';
import type { SessionPage } from './list-sessions.js';
import type { Sweep } from './sweep-sessions.js';

/** Whether the answer of an observed operation is that of `sweep`. */
export const isSweep = (answer: unknown): answer is Sweep =>
  isFields(answer) && ['ended', 'deleted', 'failed'].every((list) => Array.isArray(answer[list]));

/** Whether the answer of an observed operation is a page of `list` or `each`. */
export const isPage = (answer: unknown): answer is SessionPage =>
  isFields(answer) && Array.isArray(answer['sessions']) && Array.isArray(answer['unreadable']);
