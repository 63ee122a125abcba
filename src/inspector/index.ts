export { apiKeyAsPassword } from './api-key-as-password.js';
export { inspectorRoutes } from './inspector-routes.js';
export type { InspectorAuthenticate, InspectorOptions, InspectorRequest } from './options.js';
