import { type InvalidInput, invalidInput } from '../errors.js';
import { type Misconfigured, misconfigured } from './errors.js';

/** What a client sends, by the name that the service knows it under. */
export const wireNames = {
  face: 'face',
  profile: 'profile',
  behavior: 'behavior',
  context: 'context',
  timeLimit: 'time_limit',
  idempotencyKey: 'Idempotency-Key',
  operationId: 'Idempotency-Key',
  id: 'session_id',
  from: 'Last-Event-ID',
  order: 'order',
  status: 'status',
  createdAfter: 'created_after',
  createdBefore: 'created_before',
  after: 'after',
} as const;

const wirePaths: ReadonlyMap<string, string> = new Map(Object.entries(wireNames));

/** `entries`, or a place within it, where the wire has the service's own names. */
const withinEntries = /^entries(?:\[|$)/;

const wirePathOf = (path: string): string | undefined => (withinEntries.test(path) ? path : wirePaths.get(path));

/**
 * A refusal of the service in the client's names. One that names anything else is about what the host has set up, a
 * clock or a tenant, and must not be blamed on the client.
 */
export const inWireNames = ({ issues }: InvalidInput): InvalidInput | Misconfigured => {
  const named = issues.flatMap(({ path, message }) => {
    const wirePath = wirePathOf(path);
    return wirePath === undefined ? [] : [{ path: wirePath, message }];
  });
  return named.length === issues.length ? invalidInput(named) : misconfigured(issues);
};
