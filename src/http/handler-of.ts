import { functionOf } from '../schema/host-values.js';
import { readArgument } from '../schema/options-of.js';
import type { SessionHandler } from './session-handler.js';

const handlerSchema = functionOf('must be the result of createSessionHandler');

export const handlerOf = (mount: string, handler: SessionHandler): SessionHandler => {
  readArgument(mount, 'handler', handlerSchema, handler);
  return handler;
};
