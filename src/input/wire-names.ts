/** What a client sends, by the name that the service knows it under. */
export const wireNames = {
  face: 'face',
  profile: 'profile',
  behavior: 'behavior',
  context: 'context',
  timeLimit: 'time_limit',
  idempotencyKey: 'Idempotency-Key',
  operationId: 'Idempotency-Key',
  id: 'session_id',
  from: 'Last-Event-ID',
  order: 'order',
  status: 'status',
  createdAfter: 'created_after',
  createdBefore: 'created_before',
  after: 'after',
  historyLimit: 'history_limit',
} as const;
