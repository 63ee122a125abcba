import { z } from 'zod';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type JsonValue, SessionService, type SessionServiceOptions } from '../../src/index.js';
import { type call, errorOf } from './sessions.js';

export type Schemas = NonNullable<SessionServiceOptions['schemas']>;

/** Two services on one store: one with schemas, one without. */
export const openWithSchemas = (schemas: Schemas, options: Partial<SessionServiceOptions> = {}) => {
  const store = new MemorySessionStore({ events: true });
  const sessions = new SessionService({ store, schemas, ...options });
  const lax = new SessionService({ store });
  return { sessions, lax };
};

export const custom = (validate: (value: unknown) => unknown): z.ZodType => {
  const standard = { version: 1, vendor: 'test', validate };
  return Object.assign(Object.create(z.any()), { '~standard': standard });
};

export const Tool = z.object({ kind: z.enum(['call', 'result']), count: z.number().default(1) });

export const User = z.object({
  user: z.object({ name: z.string().trim() }),
  step: z.number().optional(),
});

export const said = (data?: JsonValue) => ({
  role: 'user',
  content: 'Hi',
  ...(data !== undefined && { data }),
});

/** Returns the issues of an operation, which must fail with `invalid_input`. */
export const issuesOf = async (operation: ReturnType<typeof call>) => {
  const error = await errorOf(operation);
  return error.type === 'invalid_input' ? error.issues : error;
};
