import type { Operation } from '../../src/http/index.js';

/** An operation that a host serves beside those of the engine. */
export const countEntries = {
  name: 'countEntries',
  tag: 'Ours',
  summary: 'How long a history is',
  method: 'GET',
  path: '/session/{session_id}/length',
  errors: ['not_found'],
  output: { status: 200, description: 'The number of its entries.' },
} as const satisfies Operation;
