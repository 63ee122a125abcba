import { misconfigured } from '../session/errors.js';

/** The error of a watch on a store without events. */
export const noEvents = misconfigured(
  'the store has no events: enable them with its option `events`',
);
