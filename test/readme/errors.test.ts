import { describe, expect, test } from 'vitest';
import type { ClientError } from '../../src/client/index.js';
import type { HandlerError } from '../../src/http/handler-error.js';
import { problem } from '../../src/http/problem.js';
import { httpStatuses, httpStatusOf } from '../../src/service/http-status-of.js';
import { documentOf, rowsOf } from './documents.js';

/** One of each; the compiler knows if one is missing. */
const errors = {
  invalid_input: { type: 'invalid_input', message: '', issues: [] },
  not_found: { type: 'not_found', message: '', id: '' },
  invalid_transition: { type: 'invalid_transition', message: '', status: 'IDLE', command: 'pause' },
  leased: { type: 'leased', message: '', holder: '', until: '' },
  lease_lost: { type: 'lease_lost', message: '', fencingToken: 1 },
  cancelled: { type: 'cancelled', message: '', fencingToken: 1 },
  history_full: { type: 'history_full', message: '', id: '', limit: 1 },
  conflict: { type: 'conflict', message: '', id: '' },
  id_taken: { type: 'id_taken', message: '', id: '' },
  history_moved: { type: 'history_moved', message: '', id: '', position: 1 },
  page_too_large: { type: 'page_too_large', message: '', bytes: 2, limit: 1 },
  search_too_large: { type: 'search_too_large', message: '', limit: 1 },
  idempotency_mismatch: { type: 'idempotency_mismatch', message: '', id: '' },
  operation_mismatch: { type: 'operation_mismatch', message: '', id: '' },
  inbox_full: { type: 'inbox_full', message: '', id: '', limit: 1 },
  not_answered: { type: 'not_answered', message: '', id: '', messageId: '' },
  withdrawn: { type: 'withdrawn', message: '', id: '', messageId: '' },
  superseded: { type: 'superseded', message: '', id: '', messageId: '' },
  too_many_active: { type: 'too_many_active', message: '', id: '', limit: 1 },
  corrupt_record: { type: 'corrupt_record', message: '', id: '' },
  misconfigured: { type: 'misconfigured', message: '' },
  store_unavailable: { type: 'store_unavailable', message: '', outcome: 'unknown' },
  unauthenticated: { type: 'unauthenticated', message: '' },
  route_not_found: { type: 'route_not_found', message: '' },
  method_not_allowed: { type: 'method_not_allowed', message: '', allow: 'GET' },
  body_too_large: { type: 'body_too_large', message: '' },
  unsupported_media_type: { type: 'unsupported_media_type', message: '' },
  authenticator_unavailable: { type: 'authenticator_unavailable', message: '' },
  too_many_streams: { type: 'too_many_streams', message: '' },
} satisfies { readonly [T in HandlerError['type']]: Extract<HandlerError, { readonly type: T }> };

/** What the client has besides. */
const ofTheClient = {
  unreachable: true,
  unexpected_answer: true,
  aborted: true,
  key_unavailable: true,
} satisfies Record<Exclude<ClientError['type'], HandlerError['type']>, true>;

const page = documentOf('docs/reference/errors.md');

describe('docs/errors.md', () => {
  test('lists each error in a table, with its HTTP status', () => {
    const told = rowsOf(page, 'type', 'HTTP').map(([link = '', status]) => [
      /^\[(\w+)\]/.exec(link)?.[1],
      status,
    ]);
    const given = Object.values(errors).map((error) => [error.type, String(problem(error).status)]);
    expect(told).toEqual(given);
  });

  test('lists the statuses that httpStatusOf returns', () => {
    const isOfOperation = (type: string): type is keyof typeof httpStatuses =>
      Object.hasOwn(httpStatuses, type);
    const given = Object.keys(errors).filter(isOfOperation);
    expect(given.map((type) => httpStatusOf(errors[type]))).toEqual(
      given.map((type) => problem(errors[type]).status),
    );
  });

  test('has a section for each error', () => {
    const parts = [...page.text.matchAll(/^### ([a-z_]+)$/gm)].map(([, type = '']) => type);
    expect(parts).toEqual([...Object.keys(errors), ...Object.keys(ofTheClient)]);
  });
});
