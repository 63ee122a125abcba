import { positionForm } from '../events/event.js';
import { END_ID } from '../http/event-frames.js';
import type { PageQuery } from '../http/page-query.js';
import { cursorForm, cursorOf } from '../input/cursor.js';
import { listOrders } from '../input/list-input.js';
import type { InputPolicy } from '../input/policy.js';
import { entryRules, nameRules } from '../input/rules.js';
import { wireNames } from '../input/wire-names.js';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT } from '../limits.js';
import { sessionStatuses } from '../status.js';
import { SESSION_ID } from './examples.js';
import { described, fieldSchema } from './fields.js';
import type { Json, Parameter, Schema } from './types.js';

type Place = Pick<Parameter, 'name' | 'in'>;

const parameter = (place: Place, schema: Schema, description: string, example: Json): Parameter => ({
  ...place,
  description,
  required: place.in === 'path',
  schema,
  examples: { example: { value: example } },
});

export const sessionId = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.id, in: 'path' },
    described(fieldSchema(nameRules.id, policy), 'Percent-encoded where need be.'),
    'The id of the session.',
    SESSION_ID,
  );

/** Of a create: any text that a header carries. */
export const idempotencyKey = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.idempotencyKey, in: 'header' },
    fieldSchema(nameRules.idempotencyKey, policy),
    'Makes the request safe to repeat: the same key gives the same session for as long as it exists.',
    'order-17',
  );

/** Of a command or an append. */
export const operationId = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.operationId, in: 'header' },
    fieldSchema(nameRules.operationId, policy),
    'Names this one write on this session, so that it is safe to send again. Another write needs another name.',
    'turn-2',
  );

export const lastEventId = (): Parameter =>
  parameter(
    { name: wireNames.from, in: 'header' },
    { type: 'string', pattern: `^(?:${END_ID})?$|${positionForm.source}` },
    'The id of the last event that was seen, to go on behind it.',
    END_ID,
  );

const query = (name: string): Place => ({ name, in: 'query' });

/** Of a list or a get. */
export const historyLimit = (): Parameter =>
  parameter(
    query(wireNames.historyLimit),
    { type: 'integer', minimum: 0 },
    'The most entries of each history, counted from the latest, in decimal digits. Without it, all.',
    20,
  );

const createdAt = '2026-01-31T18:00:00.000Z';

/** The parameters of the list's query. */
export const listParameters = (policy: InputPolicy): readonly Parameter[] => {
  const whole: Schema = { type: 'integer', minimum: 1 };
  const time = fieldSchema(entryRules.timestamp, policy);
  return Object.values({
    limit: parameter(
      query('limit'),
      { ...whole, default: DEFAULT_PAGE_LIMIT },
      `Sessions on a page, in decimal digits; above ${PAGE_LIMIT} is served as ${PAGE_LIMIT}.`,
      DEFAULT_PAGE_LIMIT,
    ),
    page: parameter(query('page'), { ...whole, default: 1 }, 'The number of the page. Not together with `after`.', 1),
    after: parameter(
      query(wireNames.after),
      { type: 'string', pattern: cursorForm.source },
      'The X-Next-Cursor of another page, to go on behind it. Not together with `page`.',
      cursorOf({ createdAt, id: SESSION_ID }),
    ),
    order: parameter(
      query(wireNames.order),
      { type: 'string', enum: [...listOrders], default: listOrders[0] },
      'By the time of creation.',
      listOrders[1],
    ),
    status: parameter(
      query(wireNames.status),
      { type: 'string', enum: [...sessionStatuses] },
      'Only the sessions that are in this status.',
      sessionStatuses[1],
    ),
    createdAfter: parameter(query(wireNames.createdAfter), time, 'Only what was created later than this.', createdAt),
    createdBefore: parameter(
      query(wireNames.createdBefore),
      time,
      'Only what was created earlier than this.',
      createdAt,
    ),
    historyLimit: historyLimit(),
  } satisfies Readonly<Record<keyof PageQuery, Parameter>>);
};
