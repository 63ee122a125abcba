export type { FaultType } from './fault-plan.js';
export type { SimulatedHost, SimulatedSessions } from './run-seed.js';
export {
  type SimulationFailure,
  type SimulationOptions,
  type SimulationReport,
  simulate,
} from './simulate.js';
