import type { Inspector } from '../http/inspector.js';
import { type InspectorOptions, readInspectorOptions } from './options.js';
import { serve } from './serve.js';

export type { Inspector } from '../http/inspector.js';
export { apiKeyAsPassword } from './api-key-as-password.js';
export type { InspectorAuthenticate, InspectorOptions, InspectorRequest } from './options.js';

/**
 * A page to look at sessions with, for `createSessionHandler({ inspector })`, which serves it at `/inspector`: those of
 * the tenant that `authenticate` names for a request. Throws a `TypeError` that names every option that is wrong or
 * unknown.
 */
export const createInspector = (options: InspectorOptions): Inspector => {
  const settings = readInspectorOptions(options);
  return { serve: (call) => serve(settings, call) };
};
