import { describe, expectTypeOf, test } from 'vitest';
import type {
  EventsOptions,
  SessionHandlerOptions,
  TenantCommands,
  TenantEvents,
  TenantSessions,
} from '../../src/http/index.js';
import type { SessionService } from '../../src/index.js';
import type { HandlerModuleOptions } from '../../src/inversify/modules.js';

interface Over<S, C> {
  readonly sessions: { forTenant(tenant: string): S };
  readonly authenticate: () => string;
  readonly commands: C;
}

describe('the options of a handler', () => {
  test('take a SessionService, with the commands, without them, or as a variable says', () => {
    expectTypeOf<Over<SessionService, true>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Over<SessionService, false>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Over<SessionService, boolean>>().toExtend<SessionHandlerOptions>();
  });

  test('take sessions that are only created and read, unless commands may come', () => {
    expectTypeOf<Over<TenantSessions, false>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Over<TenantSessions & TenantCommands, true>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Over<TenantSessions, true>>().not.toExtend<SessionHandlerOptions>();
    expectTypeOf<Over<TenantSessions, boolean>>().not.toExtend<SessionHandlerOptions>();
  });

  test('take sessions that cannot be watched, unless events may be asked for', () => {
    type Watched<S, E> = Omit<Over<S, false>, 'commands'> & { readonly events: E };
    expectTypeOf<Watched<SessionService, true>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Watched<SessionService, { readonly heartbeatMs: number }>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Watched<TenantSessions & TenantEvents, boolean>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Watched<TenantSessions, false>>().toExtend<SessionHandlerOptions>();
    expectTypeOf<Watched<TenantSessions, true>>().not.toExtend<SessionHandlerOptions>();
    expectTypeOf<Watched<TenantSessions, boolean>>().not.toExtend<SessionHandlerOptions>();
  });

  test('of a container can switch the commands on', () => {
    expectTypeOf<HandlerModuleOptions>().toHaveProperty('commands').toEqualTypeOf<boolean | undefined>();
    expectTypeOf<HandlerModuleOptions>().toHaveProperty('events').toEqualTypeOf<boolean | EventsOptions | undefined>();
  });
});
