import type { Suite } from '../suite.js';
import { fairStoreSuites } from './fair.js';
import { importCost } from './import-cost.js';
import { instructions } from './instructions.js';
import { timerGaps } from './timer-gaps.js';
import { workCycles } from './work-cycles.js';

/** The fair measure, and what else must not cost much. */
export const fairSuites: readonly Suite[] = [
  ...fairStoreSuites,
  instructions,
  workCycles,
  timerGaps,
  importCost,
];
