import type { OperationName } from '../observer.js';

/** The instrumentation scope, and the namespace of what no semantic convention names. */
export const SCOPE = 'colloquy';

export const attributeNames = {
  operation: 'colloquy.operation.name',
  session: 'colloquy.session.id',
  status: 'colloquy.session.status',
  endReason: 'colloquy.session.end_reason',
  tenant: 'colloquy.tenant',
  outcome: 'colloquy.sweep.outcome',
  /** Of the semantic conventions: what kind of error an operation has ended with. */
  error: 'error.type',
} as const;

export const metricNames = {
  duration: 'colloquy.operation.duration',
  lag: 'colloquy.sweep.lag',
  swept: 'colloquy.sweep.sessions',
  sessions: 'colloquy.session.count',
} as const;

/** Spans by verb and object, few and fixed, whatever sessions they are about. */
export const spanNames = {
  create: 'create session',
  get: 'get session',
  history: 'read history',
  list: 'list sessions',
  each: 'list sessions',
  start: 'start session',
  pause: 'pause session',
  resume: 'resume session',
  terminate: 'terminate session',
  fail: 'fail session',
  append: 'append history',
  delete: 'delete session',
  sweep: 'sweep sessions',
} as const satisfies Record<OperationName, string>;
