import { ContainerModule } from 'inversify';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type Clock, systemClock } from '../clock.js';
import { type Ids, randomIds } from '../ids.js';
import type { Logger } from '../logger.js';
import { logging } from '../logging/logging.js';
import type { SessionObserver } from '../observer.js';
import { SessionService } from '../service/session-service.js';
import type { SessionServiceOptions } from '../service/settings.js';
import type { SessionStore } from '../store.js';
import { bindDefault } from './defaults.js';
import { bindStorePort } from './store-port.js';
import { TYPES } from './types.js';

/** The settings of the service; its ports come from the container. */
export type CoreModuleOptions = Omit<SessionServiceOptions, 'store' | 'clock' | 'ids' | 'observers'>;

/**
 * Binds `SessionService` and its ports: the machine's clock, random ids and, unless a store module is loaded too, a
 * store in memory.
 *
 *     const container = new Container();
 *     container.load(coreModule(), redisModule({ client }));
 *     const sessions = container.get<SessionService>(TYPES.SessionService);
 *
 * This and every other module loads at once, with `container.load`, in any order. All that they bind are singletons,
 * made when first asked for: rebind a port before that. A wrong or unknown option throws a `TypeError` at once.
 */
export const coreModule = (options: CoreModuleOptions = {}): ContainerModule => {
  // Wrong options throw here, and not when the container is first asked for the service.
  new SessionService({ ...options, store: new MemorySessionStore() });
  return new ContainerModule((loading) => {
    bindStorePort(loading);
    bindDefault<Clock>(loading, TYPES.Clock, (binding) => binding.toConstantValue(systemClock));
    bindDefault<Ids>(loading, TYPES.Ids, (binding) => binding.toConstantValue(randomIds));
    bindDefault<SessionService>(loading, TYPES.SessionService, (binding) =>
      binding
        .toResolvedValue(
          (store: SessionStore, clock: Clock, ids: Ids, seers?: readonly SessionObserver[], logger?: Logger) => {
            const observers = [...(seers ?? []), ...(logger === undefined ? [] : [logging(logger)])];
            return new SessionService({ ...options, store, clock, ids, observers });
          },
          [
            TYPES.SessionStore,
            TYPES.Clock,
            TYPES.Ids,
            { serviceIdentifier: TYPES.SessionObservers, optional: true },
            { serviceIdentifier: TYPES.Logger, optional: true },
          ],
        )
        .inSingletonScope(),
    );
  });
};
