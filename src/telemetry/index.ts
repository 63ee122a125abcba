export { type OpenTelemetryOptions, openTelemetry, type Telemetry } from './open-telemetry.js';
