import { type BindToFluentSyntax, ContainerModule, type ContainerModuleLoadOptions } from 'inversify';
import { MemorySessionStore, type MemorySessionStoreOptions } from '../../adapters/memory/index.js';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { type Clock, systemClock } from '../clock.js';
import { createSessionHandler } from '../http/handler.js';
import type { SessionHandler } from '../http/message.js';
import type { SessionHandlerOptions } from '../http/options.js';
import { type Ids, randomIds } from '../ids.js';
import type { Logger } from '../logger.js';
import { logging } from '../logging/index.js';
import type { SessionObserver } from '../observer.js';
import { SessionService } from '../service/session-service.js';
import type { SessionServiceOptions } from '../service/settings.js';
import type { SessionStore } from '../store.js';
import { TYPES } from './types.js';

type Loading = Pick<ContainerModuleLoadOptions, 'bind' | 'isBound'>;
type Authenticator = SessionHandlerOptions['authenticate'];

/**
 * Where a store module puts its store. Apart from the port itself, so that the port can be bound by whichever module
 * comes first, wait for its store until somebody asks, and still be told from a store that the host has bound.
 */
const CHOSEN_STORE = Symbol.for('colloquy.ChosenStore');

const optional = (serviceIdentifier: symbol) => ({ serviceIdentifier, optional: true }) as const;

/**
 * Binds what a host has not bound itself. So modules add what is lacking and replace nothing, whichever is loaded
 * first, and what a host binds afterwards it puts in their place with `container.rebind`.
 */
const bindDefault = <T>(
  { bind, isBound }: Loading,
  token: symbol,
  define: (binding: BindToFluentSyntax<T>) => unknown,
): void => {
  if (!isBound(token)) define(bind<T>(token));
};

/** Binds the port to the store of the store module that is loaded, else to one in memory. */
const bindStorePort = (loading: Loading): void =>
  bindDefault<SessionStore>(loading, TYPES.SessionStore, (binding) =>
    binding
      .toResolvedValue((chosen?: SessionStore) => chosen ?? new MemorySessionStore(), [optional(CHOSEN_STORE)])
      .inSingletonScope(),
  );

/** A second store module is ambiguous, and inversify says so when a store is asked for. */
const storeModule = (makeStore: () => SessionStore): ContainerModule => {
  // Wrong options throw here, and not when the container is first asked for the store.
  makeStore();
  return new ContainerModule((loading) => {
    loading.bind<SessionStore>(CHOSEN_STORE).toResolvedValue(makeStore).inSingletonScope();
    bindStorePort(loading);
  });
};

/** Keeps the sessions in memory, as `coreModule` does by itself; for a host that says so. */
export const memoryModule = (options: MemorySessionStoreOptions = {}): ContainerModule =>
  storeModule(() => new MemorySessionStore(options));

/** Keeps the sessions in Redis, over the host's own client. */
export const redisModule = (options: RedisSessionStoreOptions): ContainerModule =>
  storeModule(() => new RedisSessionStore(options));

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
  new SessionService({ ...options, store: new MemorySessionStore() });
  const make = (store: SessionStore, clock: Clock, ids: Ids, seers: readonly SessionObserver[] = [], logger?: Logger) =>
    new SessionService({
      ...options,
      store,
      clock,
      ids,
      observers: logger === undefined ? seers : [...seers, logging(logger)],
    });
  return new ContainerModule((loading) => {
    bindStorePort(loading);
    bindDefault<Clock>(loading, TYPES.Clock, (binding) => binding.toConstantValue(systemClock));
    bindDefault<Ids>(loading, TYPES.Ids, (binding) => binding.toConstantValue(randomIds));
    bindDefault<SessionService>(loading, TYPES.SessionService, (binding) =>
      binding
        .toResolvedValue(make, [
          TYPES.SessionStore,
          TYPES.Clock,
          TYPES.Ids,
          optional(TYPES.SessionObservers),
          optional(TYPES.Logger),
        ])
        .inSingletonScope(),
    );
  });
};

/** The settings of the handler; the sessions come from the container, and the authenticator may. */
export type HandlerModuleOptions = Omit<
  SessionHandlerOptions<SessionService>,
  'sessions' | 'authenticate' | 'logger'
> & {
  /** Default: what the host binds to `TYPES.Authenticator`, without which no handler can be made. */
  readonly authenticate?: Authenticator;
};

/** Binds `SessionHandler` over the container's `SessionService` and `Authenticator`. */
export const handlerModule = ({ authenticate: given, ...options }: HandlerModuleOptions = {}): ContainerModule => {
  const make = (sessions: SessionService, authenticate: Authenticator, logger?: Logger): SessionHandler =>
    createSessionHandler({ ...options, sessions, authenticate, ...(logger === undefined ? {} : { logger }) });
  make(new SessionService({ store: new MemorySessionStore() }), given ?? (() => undefined));
  return new ContainerModule((loading) => {
    if (given !== undefined) {
      bindDefault<Authenticator>(loading, TYPES.Authenticator, (binding) => binding.toConstantValue(given));
    }
    bindDefault<SessionHandler>(loading, TYPES.SessionHandler, (binding) =>
      binding
        .toResolvedValue(make, [TYPES.SessionService, TYPES.Authenticator, optional(TYPES.Logger)])
        .inSingletonScope(),
    );
  });
};
