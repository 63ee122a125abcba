import {
  type BindToFluentSyntax,
  ContainerModule,
  type ContainerModuleLoadOptions,
} from 'inversify';
import { MemorySessionStore, type MemorySessionStoreOptions } from '../../adapters/memory/index.js';
import {
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from '../../adapters/postgres/index.js';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { SqliteSessionStore, type SqliteSessionStoreOptions } from '../../adapters/sqlite/index.js';
import { createSessionHandler } from '../http/create-session-handler.js';
import type { Logger } from '../http/logger.js';
import type { SessionHandler } from '../http/session-handler.js';
import {
  checkRoutes,
  handlerOptionSchemas,
  type SessionHandlerOptions,
} from '../http/session-handler-options.js';
import { optionsOf } from '../schema/options-of.js';
import { optional as optionalField } from '../schema/schema.js';
import {
  checkTerms,
  meantOption,
  type SessionServiceOptions,
  serviceOptionSchemas,
} from '../service/service-options.js';
import type { SessionObserver } from '../service/session-observer.js';
import { SessionService } from '../service/session-service.js';
import { type Clock, systemClock } from '../session/clock.js';
import { type Ids, randomIds } from '../session/ids.js';
import type { SessionStore } from '../store/session-store.js';
import { TYPES } from './types.js';

type Loading = Pick<ContainerModuleLoadOptions, 'bind' | 'isBound'>;
type Authenticator = SessionHandlerOptions['authenticate'];

/**
 * The binding of a store module. It is separate from the port, so that any module can bind the port
 * first, and a store that the host binds is distinguished from that of a module.
 */
const CHOSEN_STORE = Symbol.for('colloquy.ChosenStore');

const optional = (serviceIdentifier: symbol) => ({ serviceIdentifier, optional: true }) as const;

/**
 * Binds a service that is not bound yet: modules can be loaded in any order, and never replace a
 * binding of the host.
 */
const bindDefault = <T>(
  { bind, isBound }: Loading,
  token: symbol,
  define: (binding: BindToFluentSyntax<T>) => unknown,
): void => {
  if (!isBound(token)) define(bind<T>(token));
};

/** Binds the port to the store of the loaded store module; without one, to a memory store. */
const bindStorePort = (loading: Loading): void =>
  bindDefault<SessionStore>(loading, TYPES.SessionStore, (binding) =>
    binding
      .toResolvedValue(
        (chosen?: SessionStore) => chosen ?? new MemorySessionStore(),
        [optional(CHOSEN_STORE)],
      )
      .inSingletonScope(),
  );

/** With two store modules inversify throws an ambiguous match when a store is requested. */
const storeModule = (makeStore: () => SessionStore): ContainerModule => {
  // Invalid options throw here, not when the store is first requested.
  makeStore();
  return new ContainerModule((loading) => {
    loading.bind<SessionStore>(CHOSEN_STORE).toResolvedValue(makeStore).inSingletonScope();
    bindStorePort(loading);
  });
};

/** Binds a `MemorySessionStore`, which is also the default of `coreModule`. */
export const memoryModule = (options: MemorySessionStoreOptions = {}): ContainerModule =>
  storeModule(() => new MemorySessionStore(options));

/** Binds a `RedisSessionStore` over the host's client. */
export const redisModule = (options: RedisSessionStoreOptions): ContainerModule =>
  storeModule(() => new RedisSessionStore(options));

/**
 * Binds a `SqliteSessionStore` over the host's connection. It does not call `migrate()`: the host
 * does, at every start.
 */
export const sqliteModule = (options: SqliteSessionStoreOptions): ContainerModule =>
  storeModule(() => new SqliteSessionStore(options));

/**
 * Binds a `PostgresSessionStore` over the host's pool. It does not call `migrate()`: the host does,
 * at every start.
 */
export const postgresModule = (options: PostgresSessionStoreOptions): ContainerModule =>
  storeModule(() => new PostgresSessionStore(options));

/** Options of the service, without its ports, which come from the container. */
export type CoreModuleOptions = Omit<
  SessionServiceOptions,
  'store' | 'clock' | 'ids' | 'observers'
>;

const {
  store: _store,
  clock: _clock,
  ids: _ids,
  observers: _observers,
  ...coreSchemas
} = serviceOptionSchemas;

const readCore = optionsOf('coreModule', coreSchemas, checkTerms, meantOption);

/**
 * Binds `SessionService` and its ports: the system clock, random ids and, without a store module, a
 * memory store.
 *
 *     const container = new Container();
 *     container.load(coreModule(), redisModule({ client }));
 *     const sessions = container.get<SessionService>(TYPES.SessionService);
 *
 * All modules load synchronously, in any order: with `container.load`, or `container.loadSync` of
 * inversify 7. All bindings are singletons, created when first requested: rebind a port before
 * that. Throws a `TypeError` that names every invalid or unknown option.
 */
export const coreModule = (options: CoreModuleOptions = {}): ContainerModule => {
  readCore(options);
  const make = (
    store: SessionStore,
    clock: Clock,
    ids: Ids,
    observers: readonly SessionObserver[] = [],
  ) => new SessionService({ ...options, store, clock, ids, observers });
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
        ])
        .inSingletonScope(),
    );
  });
};

/** Options of the handler. The sessions come from the container, and the authenticator may too. */
export type HandlerModuleOptions = Omit<
  SessionHandlerOptions<SessionService>,
  'sessions' | 'authenticate' | 'logger'
> & {
  /** Default: the binding of `TYPES.Authenticator`, which is then required. */
  readonly authenticate?: Authenticator | undefined;
};

const {
  sessions: _sessions,
  authenticate,
  logger: _logger,
  ...handlerSchemas
} = handlerOptionSchemas;

const readHandler = optionsOf(
  'handlerModule',
  { ...handlerSchemas, authenticate: optionalField(authenticate) },
  checkRoutes,
);

/** Binds `SessionHandler` over the container's `SessionService` and `Authenticator`. */
export const handlerModule = (given: HandlerModuleOptions = {}): ContainerModule => {
  readHandler(given);
  const { authenticate: own, ...options } = given;
  const make = (
    sessions: SessionService,
    authenticate: Authenticator,
    logger?: Logger,
  ): SessionHandler =>
    createSessionHandler({
      ...options,
      sessions,
      authenticate,
      ...(logger !== undefined && { logger }),
    });
  return new ContainerModule((loading) => {
    if (own !== undefined) {
      bindDefault<Authenticator>(loading, TYPES.Authenticator, (binding) =>
        binding.toConstantValue(own),
      );
    }
    bindDefault<SessionHandler>(loading, TYPES.SessionHandler, (binding) =>
      binding
        .toResolvedValue(make, [TYPES.SessionService, TYPES.Authenticator, optional(TYPES.Logger)])
        .inSingletonScope(),
    );
  });
};
