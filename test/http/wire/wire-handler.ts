import { createSessionHandler, type SessionHandler } from '../../../src/http/index.js';
import { apiKeyAsPassword, createInspector } from '../../../src/inspector/index.js';

interface WireOptions {
  readonly sessions: unknown;
  readonly authenticate?: (key: string) => unknown;
  readonly isBare?: boolean;
  readonly maxBodyBytes?: number;
  readonly maxPendingBytes?: number;
  readonly maxStreams?: number;
}

const acmeOfKey = (key: string): string | undefined => (key === 'key' ? 'acme' : undefined);

/** A handler with everything that it can serve, or with nothing but the three operations. */
export const wireHandler = ({ isBare = false, maxStreams, ...options }: WireOptions): SessionHandler => {
  const all = {
    commands: true,
    events: maxStreams === undefined ? true : { maxStreams },
    inspector: createInspector(apiKeyAsPassword(acmeOfKey)),
  };
  return Reflect.apply(createSessionHandler, undefined, [
    { authenticate: acmeOfKey, ...options, ...(isBare ? {} : all) },
  ]);
};
