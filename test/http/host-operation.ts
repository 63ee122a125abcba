import {
  named,
  type Operation,
  object,
  optional,
  plain,
  type TenantSessions,
} from '../../src/http/index.js';

/** An operation that a host serves in addition to those of the engine. */
export const countEntries = {
  name: 'countEntries',
  tag: 'Ours',
  summary: 'How long a history is',
  method: 'GET',
  path: '/session/{session_id}/length',
  errors: ['not_found'],
  output: { status: 200, description: 'The number of its entries.' },
} as const satisfies Operation;

/** An operation of a host that has a query, a body and an output. */
export const rateSession: Operation<TenantSessions> = {
  name: 'rateSession',
  tag: 'Ours',
  method: 'POST',
  path: '/rate/{session_id}',
  query: { dryRun: plain({ type: 'string' }) },
  body: {
    name: 'Rating',
    of: () =>
      object({
        stars: plain({ type: 'integer', minimum: 1, maximum: 5 }),
        givenBy: optional(plain({ type: 'string' })),
      }),
  },
  errors: ['not_found'],
  output: {
    status: 200,
    body: named('Rated', plain({ type: 'object', required: ['status'] })),
  },
  calls: {
    method: 'get',
    call: (sessions, { id, query, body }) =>
      sessions.get(id).map(({ status }) => ({ status, ...query, ...body })),
  },
};
