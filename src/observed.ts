import { isFields } from './input/values.js';
import type { SessionPage } from './service/list-sessions.js';
import type { Sweep } from './service/sweep-sessions.js';

/** For observers, which are given answers of all operations: whether it is a sweep's. */
export const isSweep = (answer: unknown): answer is Sweep =>
  isFields(answer) && ['ended', 'deleted', 'failed'].every((list) => Array.isArray(answer[list]));

/** Whether it is a page of a list. */
export const isPage = (answer: unknown): answer is SessionPage =>
  isFields(answer) && Array.isArray(answer['sessions']) && Array.isArray(answer['unreadable']);
