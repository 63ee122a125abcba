import { describe, expectTypeOf, test } from 'vitest';
import { errorsOf } from '../../src/endpoints/endpoint.js';
import {
  type commandRoutes,
  createSessionHandler,
  type eventRoutes,
  historyRoutes,
  type RouteGroup,
  type SessionHandlerOptions,
  type TenantCommands,
  type TenantEvents,
  type TenantOpenings,
  type TenantSessions,
} from '../../src/http/index.js';
import type { SessionService } from '../../src/index.js';
import type { inspectorRoutes } from '../../src/inspector/index.js';
import type { HandlerModuleOptions } from '../../src/inversify/modules.js';
import type { openApiRoute } from '../../src/openapi/index.js';

interface Over<S, R> {
  readonly sessions: { forTenant(tenant: string): S };
  readonly authenticate: () => string;
  readonly routes: readonly R[];
}

type CommandRoutes = ReturnType<typeof commandRoutes>;
type EventRoutes = ReturnType<typeof eventRoutes>;

describe("the handler's option types", () => {
  test('accept a SessionService with every group of routes', () => {
    type Ours =
      | CommandRoutes
      | EventRoutes
      | ReturnType<typeof inspectorRoutes>
      | ReturnType<typeof openApiRoute>;
    expectTypeOf<Over<SessionService, Ours>>().toExtend<SessionHandlerOptions<SessionService>>();
    expectTypeOf<Ours>().toExtend<RouteGroup<SessionService>>();
  });

  test('accept sessions that are only created and read, unless a route needs more', () => {
    expectTypeOf<Over<TenantSessions, never>>().toExtend<SessionHandlerOptions<TenantSessions>>();
    type Driven = TenantSessions & TenantCommands & TenantOpenings;
    expectTypeOf<Over<Driven, CommandRoutes>>().toExtend<SessionHandlerOptions<Driven>>();
    expectTypeOf<Over<TenantSessions, CommandRoutes>>().not.toExtend<
      SessionHandlerOptions<TenantSessions>
    >();
    type Watched = TenantSessions & TenantEvents;
    expectTypeOf<Over<Watched, EventRoutes>>().toExtend<SessionHandlerOptions<Watched>>();
    expectTypeOf<Over<Watched, CommandRoutes>>().not.toExtend<SessionHandlerOptions<Watched>>();
  });

  test('reject a route that the sessions cannot serve', () => {
    const over = (sessions: { forTenant(tenant: string): TenantSessions }) =>
      // @ts-expect-error: these sessions have no history to be read by parts.
      createSessionHandler({ sessions, authenticate: () => 'acme', routes: [historyRoutes()] });
    expectTypeOf(over).toBeFunction();
  });

  test('are the same in a container', () => {
    expectTypeOf<NonNullable<HandlerModuleOptions['routes']>[number]>().toEqualTypeOf<
      RouteGroup<SessionService>
    >();
  });
});

describe('the errors of an operation', () => {
  test("equal the errors of the service's method", () => {
    errorsOf<SessionService['delete']>()(['conflict']);
    // @ts-expect-error: conflict is missing.
    errorsOf<SessionService['delete']>()([]);
    // @ts-expect-error: a deletion is never not_found.
    errorsOf<SessionService['delete']>()(['conflict', 'not_found']);
  });
});
