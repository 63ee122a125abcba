import { err } from 'neverthrow';
import { misconfigured } from '../http/errors.js';
import type { Inspector } from '../http/inspector.js';
import { type InspectorOptions, readInspectorOptions } from './options.js';
import { serve } from './serve.js';

export type { Inspector } from '../http/inspector.js';
export { apiKeyAsPassword } from './api-key-as-password.js';
export type { InspectorAuthenticate, InspectorOptions, InspectorRequest } from './options.js';

/**
 * A page to look at sessions with, for `createSessionHandler({ inspector })`, which serves it at `/inspector`: those of
 * the tenant that `authenticate` names for a request. Nothing throws: with options that break a rule each of its
 * requests is answered with 503, `misconfigured`, and the handler's `onError` is told which.
 */
export const createInspector = (options: InspectorOptions): Inspector => {
  const settings = readInspectorOptions(options);
  // The handler has options of the same names.
  const issues = settings.isErr()
    ? settings.error.issues.map(({ path, message }) => ({ path: `inspector.${path}`, message }))
    : [];
  return {
    serve: async (call) => (settings.isErr() ? err(misconfigured(issues)) : serve(settings.value, call)),
  };
};
