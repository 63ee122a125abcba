import { type InvalidInput, invalidInput } from '../errors.js';
import { wireNames } from '../wire.js';
import { type Misconfigured, misconfigured } from './errors.js';

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
