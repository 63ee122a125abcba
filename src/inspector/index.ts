export { apiKeyAsPassword } from './api-key-as-password.js';
export type {
  InspectorAuthenticate,
  InspectorOptions,
  InspectorRequest,
} from './inspector-options.js';
export { inspectorRoutes } from './inspector-routes.js';
