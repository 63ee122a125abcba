import { ContainerModule } from 'inversify';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSessionHandler } from '../http/handler.js';
import type { SessionHandler } from '../http/message.js';
import type { SessionHandlerOptions } from '../http/options.js';
import type { Logger } from '../logger.js';
import { SessionService } from '../service/session-service.js';
import { bindDefault } from './defaults.js';
import { TYPES } from './types.js';

type Authenticator = SessionHandlerOptions['authenticate'];

/** The settings of the handler; the sessions come from the container, and the authenticator may. */
export type HandlerModuleOptions = Omit<SessionHandlerOptions, 'sessions' | 'authenticate' | 'logger'> & {
  /** Default: what the host binds to `TYPES.Authenticator`, without which no handler can be made. */
  readonly authenticate?: Authenticator;
};

/** Binds `SessionHandler` over the container's `SessionService` and `Authenticator`. */
export const handlerModule = ({ authenticate, ...options }: HandlerModuleOptions = {}): ContainerModule => {
  // Wrong options throw here, and not when the container is first asked for the handler.
  const sessions = new SessionService({ store: new MemorySessionStore() });
  createSessionHandler({ ...options, sessions, authenticate: authenticate ?? (() => undefined) });
  return new ContainerModule((loading) => {
    if (authenticate !== undefined) {
      bindDefault<Authenticator>(loading, TYPES.Authenticator, (binding) => binding.toConstantValue(authenticate));
    }
    bindDefault<SessionHandler>(loading, TYPES.SessionHandler, (binding) =>
      binding
        .toResolvedValue(
          (sessions: SessionService, authenticator: Authenticator, logger?: Logger) =>
            createSessionHandler({
              ...options,
              sessions,
              authenticate: authenticator,
              ...(logger === undefined ? {} : { logger }),
            }),
          [TYPES.SessionService, TYPES.Authenticator, { serviceIdentifier: TYPES.Logger, optional: true }],
        )
        .inSingletonScope(),
    );
  });
};
