import type { Result, ResultAsync } from 'neverthrow';
import { describe, expectTypeOf, test } from 'vitest';
import type {
  Conflict,
  CorruptRecord,
  CreatedSession,
  HistoryFull,
  HistoryMoved,
  HistoryPart,
  IdempotencyMismatch,
  IdTaken,
  InvalidInput,
  InvalidTransition,
  Leased,
  LeaseEnded,
  Misconfigured,
  NotFound,
  OperationMismatch,
  PageTooLarge,
  Released,
  SearchTooLarge,
  Session,
  SessionError,
  SessionLease,
  SessionService,
  SessionState,
  SessionStatus,
  StoreUnavailable,
  TakenLease,
  TooManyActive,
} from '../../src/index.js';
import type { EachQuery } from '../../src/service/list-sessions.js';
import type { Appended, SessionPage } from '../../src/service/operation-results.js';

type AnyStore = StoreUnavailable | CorruptRecord | Misconfigured;
type OfChange =
  | InvalidInput
  | NotFound
  | InvalidTransition
  | LeaseEnded
  | OperationMismatch
  | Conflict
  | AnyStore;

describe('every operation has the errors that it can have, and no others', () => {
  test('create', () => {
    expectTypeOf<ReturnType<SessionService['create']>>().toEqualTypeOf<
      ResultAsync<
        CreatedSession,
        | InvalidInput
        | IdempotencyMismatch
        | IdTaken
        | NotFound
        | HistoryFull
        | PageTooLarge
        | TooManyActive
        | Conflict
        | AnyStore
      >
    >();
  });

  test('get', () => {
    expectTypeOf<ReturnType<SessionService['get']>>().toEqualTypeOf<
      ResultAsync<Session, InvalidInput | NotFound | PageTooLarge | AnyStore>
    >();
  });

  test('list', () => {
    expectTypeOf<ReturnType<SessionService['list']>>().toEqualTypeOf<
      ResultAsync<SessionPage, InvalidInput | PageTooLarge | SearchTooLarge | AnyStore>
    >();
  });

  test('history', () => {
    expectTypeOf<ReturnType<SessionService['history']>>().toEqualTypeOf<
      ResultAsync<HistoryPart, InvalidInput | NotFound | AnyStore>
    >();
  });

  test('each', () => {
    expectTypeOf<ReturnType<SessionService['each']>>().toEqualTypeOf<
      AsyncIterable<Result<Session, InvalidInput | PageTooLarge | SearchTooLarge | AnyStore>>
    >();
    expectTypeOf<EachQuery>().not.toHaveProperty('page');
  });

  test('start, pause, resume, terminate and fail', () => {
    type Change = ResultAsync<SessionState, OfChange>;
    type Start = ResultAsync<SessionState, OfChange | TooManyActive>;
    expectTypeOf<ReturnType<SessionService['start']>>().toEqualTypeOf<Start>();
    expectTypeOf<ReturnType<SessionService['pause']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['resume']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['terminate']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['fail']>>().toEqualTypeOf<Change>();
  });

  test('append', () => {
    expectTypeOf<ReturnType<SessionService['append']>>().toEqualTypeOf<
      ResultAsync<
        Appended,
        | InvalidInput
        | NotFound
        | InvalidTransition
        | LeaseEnded
        | OperationMismatch
        | HistoryFull
        | HistoryMoved
        | AnyStore
      >
    >();
  });

  test('lease, renew and release', () => {
    expectTypeOf<ReturnType<SessionService['lease']>>().toEqualTypeOf<
      ResultAsync<
        TakenLease,
        InvalidInput | NotFound | InvalidTransition | Leased | Conflict | AnyStore
      >
    >();
    expectTypeOf<ReturnType<SessionService['renew']>>().toEqualTypeOf<
      ResultAsync<
        SessionLease,
        InvalidInput | NotFound | InvalidTransition | LeaseEnded | Conflict | AnyStore
      >
    >();
    expectTypeOf<ReturnType<SessionService['release']>>().toEqualTypeOf<
      ResultAsync<
        Released,
        InvalidInput | NotFound | InvalidTransition | LeaseEnded | HistoryFull | Conflict | AnyStore
      >
    >();
  });

  test('delete', () => {
    expectTypeOf<ReturnType<SessionService['delete']>>().toEqualTypeOf<
      ResultAsync<void, InvalidInput | Conflict | AnyStore>
    >();
  });

  test('and all of them are told apart by their type', () => {
    expectTypeOf<SessionError['type']>().toEqualTypeOf<
      | 'invalid_input'
      | 'not_found'
      | 'invalid_transition'
      | 'idempotency_mismatch'
      | 'id_taken'
      | 'operation_mismatch'
      | 'leased'
      | 'lease_lost'
      | 'cancelled'
      | 'history_moved'
      | 'conflict'
      | 'history_full'
      | 'too_many_active'
      | 'inbox_full'
      | 'not_answered'
      | 'withdrawn'
      | 'superseded'
      | 'page_too_large'
      | 'search_too_large'
      | 'store_unavailable'
      | 'corrupt_record'
      | 'misconfigured'
    >();
  });
});

describe('a session in types', () => {
  test('may have a reason of its end', () => {
    expectTypeOf<Session['endReason']>().toEqualTypeOf<
      'terminated' | 'failed' | 'time_limit' | 'idle_timeout' | 'inactive' | 'budget' | undefined
    >();
    expectTypeOf<Session['status']>().toEqualTypeOf<SessionStatus>();
    expectTypeOf<Session>().toExtend<SessionState>();
  });

  test('cannot be changed', () => {
    expectTypeOf<Session['history']>().not.toHaveProperty('push');
    expectTypeOf<Pick<Session, 'id' | 'options'>>().toEqualTypeOf<
      Readonly<Pick<Session, 'id' | 'options'>>
    >();
  });

  test('has a history of which one asks for the end or for what follows a position', () => {
    type Query = Parameters<SessionService['history']>[1];
    expectTypeOf<{ last: number }>().toExtend<Query>();
    expectTypeOf<{ after: number; limit: number }>().toExtend<Query>();
    expectTypeOf<{ last: number; after: number }>().not.toExtend<Query>();
    expectTypeOf<{ limit: number }>().not.toExtend<Query>();
  });

  test('is created with any options, and got or created with an id at least', () => {
    type Input = Parameters<SessionService['create']>[0];
    expectTypeOf<{ face: string; profile: string }>().toExtend<Input>();
    expectTypeOf<{ face: string }>().toExtend<Input>();
    type Asked = Parameters<SessionService['getOrCreate']>[0];
    expectTypeOf<{ id: string }>().toExtend<Asked>();
    expectTypeOf<{ face: string }>().not.toExtend<Asked>();
    expectTypeOf<{ face: string; profile: string; timeLimit: string }>().not.toExtend<Input>();
  });
});
