import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type {
  RemoteChange,
  RemoteClaims,
  RemoteCreated,
  RemoteGetOrCreateResult,
  RemotePage,
  RemoteSession,
} from './remote-results.js';

type ServiceOnly = 'reply' | 'claimAny' | 'countWaitingAny' | 'watchAll' | 'sweep';

/** The errors of each operation, by name: `OperationErrors` and `RemoteErrors` fit. */
export type SharedErrors = {
  readonly [K in Exclude<keyof OperationErrors, ServiceOnly>]: {
    readonly type: string;
    readonly message: string;
  };
};

/** The results that a service and a client return with different fields, by operation. */
export interface SharedResults<out T extends SessionSchemas = SessionSchemas> {
  readonly create: RemoteCreated;
  readonly getOrCreate: RemoteGetOrCreateResult<T>;
  readonly get: RemoteSession<T>;
  readonly list: Omit<RemotePage<T>, 'truncated'>;
  readonly claim: RemoteClaims<T>;
  readonly watch: RemoteChange<T>;
}
