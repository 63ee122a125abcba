import { describe, expectTypeOf, test } from 'vitest';
import type {
  ClientError,
  RemoteErrors,
  RemoteSession,
  SessionClientOptions,
} from '../../src/client/index.js';
import { SessionClient } from '../../src/client/index.js';
import type {
  OperationErrors,
  Session,
  SessionOperations,
  SessionService,
} from '../../src/index.js';

describe("the client's types", () => {
  test('accept what the service accepts', () => {
    expectTypeOf<Parameters<SessionService['append']>>().toExtend<
      Parameters<SessionClient['append']>
    >();
    expectTypeOf<Parameters<SessionService['create']>[0]>().toExtend<
      Parameters<SessionClient['create']>[0]
    >();
    expectTypeOf<Parameters<SessionService['list']>[0]>().toExtend<
      Parameters<SessionClient['list']>[0]
    >();
    expectTypeOf<Parameters<SessionService['watch']>>().toExtend<
      Parameters<SessionClient['watch']>
    >();
  });

  test('let one function accept a service or a client', () => {
    const statusOf = async (sessions: SessionOperations, id: string) => {
      const { status } = await sessions.orThrow.get(id, { historyLimit: 0 });
      return sessions.pause(id, { operationId: 'hold-1' }).map(() => status);
    };
    expectTypeOf<SessionService>().toExtend<Parameters<typeof statusOf>[0]>();
    expectTypeOf<SessionClient>().toExtend<Parameters<typeof statusOf>[0]>();
    type Either = SessionOperations<OperationErrors | RemoteErrors>;
    expectTypeOf<SessionService>().toExtend<Either>();
    expectTypeOf<SessionClient>().toExtend<Either>();
  });

  test('include every operation that the service shares', () => {
    type Own =
      | ('clock' | 'policy' | 'forTenant' | 'within' | 'reply')
      | ('claimAny' | 'countWaitingAny' | 'watchAll');
    expectTypeOf<keyof SessionClient>().toEqualTypeOf<keyof SessionOperations>();
    expectTypeOf<Exclude<keyof SessionService, Own | 'drain' | 'sweep'>>().toEqualTypeOf<
      keyof SessionOperations
    >();
  });

  test('omit what HTTP responses do not contain', () => {
    expectTypeOf<Session>().toExtend<RemoteSession>();
    expectTypeOf<RemoteSession>().not.toExtend<Session>();
    expectTypeOf<RemoteSession>().not.toHaveProperty('endReason');
    expectTypeOf<Extract<ClientError, { type: 'invalid_transition' }>>().not.toHaveProperty(
      'status',
    );
  });

  test('include exactly the errors of each operation', () => {
    expectTypeOf<'invalid_transition'>().toExtend<RemoteErrors['pause']['type']>();
    expectTypeOf<'invalid_transition'>().not.toExtend<RemoteErrors['create']['type']>();
    expectTypeOf<'unauthenticated' | 'unreachable' | 'aborted'>().toExtend<
      RemoteErrors['create']['type']
    >();
  });

  test("accept the runtime's own fetch and signals", () => {
    expectTypeOf<typeof fetch>().toExtend<NonNullable<SessionClientOptions['fetch']>>();
    expectTypeOf<AbortSignal>().toExtend<
      NonNullable<NonNullable<Parameters<SessionClient['get']>[1]>['signal']>
    >();
    expectTypeOf(SessionClient).toBeConstructibleWith({
      baseUrl: '/api',
      apiKey: async () => 'key',
      fetch,
    });
  });
});
