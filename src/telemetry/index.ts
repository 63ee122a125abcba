export { openTelemetry, type Telemetry } from './open-telemetry.js';
export type { OpenTelemetryOptions } from './options.js';
