export { describeMachine, loadBefore } from './machine.js';
export {
  type Effort,
  type Group,
  type GroupResult,
  type Measurement,
  measure,
  type Ratio,
  type Subject,
} from './measure.js';
export { type Spread, spreadOf } from './statistics.js';
