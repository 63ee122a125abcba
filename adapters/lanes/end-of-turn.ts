import process from 'node:process';
import { inLaterTurn, realFunction } from '../../src/session/in-later-turn.js';

const nextTick = realFunction(process, 'nextTick');

/**
 * Calls a function when all calls of this turn of the event loop have arrived. Uses a later turn if
 * a test runner had faked `nextTick` when this module was loaded.
 */
export const atEndOfTurn: typeof inLaterTurn =
  nextTick === undefined ? inLaterTurn : (run) => nextTick(run);
