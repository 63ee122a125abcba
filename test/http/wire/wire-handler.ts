import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
  type SessionHandler,
} from '../../../src/http/index.js';
import { apiKeyAsPassword, inspectorRoutes } from '../../../src/inspector/index.js';

interface WireOptions {
  readonly sessions: unknown;
  readonly authenticate?: (key: string) => unknown;
  readonly isBare?: boolean;
  readonly maxBodyBytes?: number;
  readonly maxPendingBytes?: number;
  readonly maxStreams?: number;
  readonly work?: boolean;
  readonly usage?: boolean;
}

const acmeOfKey = (key: string): string | undefined => (key === 'key' ? 'acme' : undefined);

/** A handler with everything that it can serve, or with nothing but the three operations. */
export const wireHandler = ({
  isBare = false,
  maxStreams,
  ...options
}: WireOptions): SessionHandler => {
  const routes = [
    commandRoutes(),
    historyRoutes(),
    messageRoutes(),
    eventRoutes(maxStreams === undefined ? {} : { maxStreams }),
    inspectorRoutes(apiKeyAsPassword(acmeOfKey)),
  ];
  return Reflect.apply(createSessionHandler, undefined, [
    { authenticate: acmeOfKey, ...options, ...(isBare ? {} : { routes }) },
  ]);
};
