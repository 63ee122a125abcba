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

describe('the error types of each operation are complete and exact', () => {
  test('for create', () => {
    expectTypeOf<ReturnType<SessionService['create']>>().toEqualTypeOf<
      ResultAsync<
        CreatedSession,
        | InvalidInput
        | IdempotencyMismatch
        | IdTaken
        | NotFound
        | HistoryFull
        | TooManyActive
        | Conflict
        | AnyStore
      >
    >();
  });

  test('for get', () => {
    expectTypeOf<ReturnType<SessionService['get']>>().toEqualTypeOf<
      ResultAsync<Session, InvalidInput | NotFound | PageTooLarge | AnyStore>
    >();
  });

  test('for list', () => {
    expectTypeOf<ReturnType<SessionService['list']>>().toEqualTypeOf<
      ResultAsync<SessionPage, InvalidInput | PageTooLarge | SearchTooLarge | AnyStore>
    >();
  });

  test('for history', () => {
    expectTypeOf<ReturnType<SessionService['history']>>().toEqualTypeOf<
      ResultAsync<HistoryPart, InvalidInput | NotFound | AnyStore>
    >();
  });

  test('for each', () => {
    expectTypeOf<ReturnType<SessionService['each']>>().toEqualTypeOf<
      AsyncIterable<Result<Session, InvalidInput | PageTooLarge | SearchTooLarge | AnyStore>>
    >();
    expectTypeOf<EachQuery>().not.toHaveProperty('page');
  });

  test('for start, pause, resume, terminate and fail', () => {
    type Change = ResultAsync<SessionState, OfChange>;
    type Start = ResultAsync<SessionState, OfChange | TooManyActive>;
    expectTypeOf<ReturnType<SessionService['start']>>().toEqualTypeOf<Start>();
    expectTypeOf<ReturnType<SessionService['pause']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['resume']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['terminate']>>().toEqualTypeOf<Change>();
    expectTypeOf<ReturnType<SessionService['fail']>>().toEqualTypeOf<Change>();
  });

  test('for append', () => {
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

  test('for lease, renew and release', () => {
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

  test('for delete', () => {
    expectTypeOf<ReturnType<SessionService['delete']>>().toEqualTypeOf<
      ResultAsync<void, InvalidInput | Conflict | AnyStore>
    >();
  });

  test('and can be told apart by their type', () => {
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

describe('the session type', () => {
  test('has an optional end reason', () => {
    expectTypeOf<Session['endReason']>().toEqualTypeOf<
      'terminated' | 'failed' | 'time_limit' | 'idle_timeout' | 'inactive' | 'budget' | undefined
    >();
    expectTypeOf<Session['status']>().toEqualTypeOf<SessionStatus>();
    expectTypeOf<Session>().toExtend<SessionState>();
  });

  test('is read-only', () => {
    expectTypeOf<Session['history']>().not.toHaveProperty('push');
    expectTypeOf<Pick<Session, 'id' | 'options'>>().toEqualTypeOf<
      Readonly<Pick<Session, 'id' | 'options'>>
    >();
  });

  test('has a history query with either the end or a position', () => {
    type Query = Parameters<SessionService['history']>[1];
    expectTypeOf<{ last: number }>().toExtend<Query>();
    expectTypeOf<{ after: number; limit: number }>().toExtend<Query>();
    expectTypeOf<{ last: number; after: number }>().not.toExtend<Query>();
    expectTypeOf<{ limit: number }>().not.toExtend<Query>();
  });

  test('is created with any options, and by getOrCreate with at least an id', () => {
    type Input = Parameters<SessionService['create']>[0];
    expectTypeOf<{ face: string; profile: string }>().toExtend<Input>();
    expectTypeOf<{ face: string }>().toExtend<Input>();
    type Asked = Parameters<SessionService['getOrCreate']>[0];
    expectTypeOf<{ id: string }>().toExtend<Asked>();
    expectTypeOf<{ face: string }>().not.toExtend<Asked>();
    expectTypeOf<{ face: string; profile: string; timeLimit: string }>().not.toExtend<Input>();
  });
});
