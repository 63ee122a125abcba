import { positionForm } from '../events/position.js';
import { END_ID } from '../http/event-frames.js';
import type { PageQuery } from '../http/page-query.js';
import { cursorForm, cursorOf } from '../input/cursor.js';
import { listOrders } from '../input/list-input.js';
import type { InputPolicy } from '../input/policy.js';
import { nameRules } from '../input/rules.js';
import { operationIdForm } from '../input/values.js';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT, WARNING_SECONDS } from '../limits.js';
import { sessionStatuses } from '../status.js';
import { wireNames } from '../wire.js';
import { SESSION_ID } from './examples.js';
import { described, fieldSchema } from './fields.js';
import { ref } from './schemas.js';
import type { Json, Parameter, Reference, Schema } from './types.js';

type Place = Pick<Parameter, 'name' | 'in'>;

const parameter = (place: Place, schema: Schema, description: string, example: Json): Parameter => ({
  ...place,
  description,
  required: place.in === 'path',
  schema,
  examples: { example: { value: example } },
});

const sessionId = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.id, in: 'path' },
    described(fieldSchema(nameRules.id, policy), 'Percent-encoded where need be.'),
    'The id of the session.',
    SESSION_ID,
  );

const MAY_BE_QUOTED = 'It may stand in double quotes.';

/** Of a create: any text that a header carries. */
const idempotencyKey = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.idempotencyKey, in: 'header' },
    described(fieldSchema(nameRules.idempotencyKey, policy), MAY_BE_QUOTED),
    'Makes the request safe to repeat: the same key gives the same session for as long as it exists.',
    'order-17',
  );

/** Without the anchors. */
const bareOperationId = operationIdForm.source.slice(1, -1);

/** Of a command or an append. */
const operationId = (policy: InputPolicy): Parameter =>
  parameter(
    { name: wireNames.operationId, in: 'header' },
    {
      ...described(fieldSchema(nameRules.operationId, policy), MAY_BE_QUOTED),
      pattern: `^(?:${bareOperationId}|"${bareOperationId}")$`,
    },
    'Names this one write on this session, so that it is safe to send again. Another write needs another name.',
    'turn-2',
  );

const lastEventId = (): Parameter =>
  parameter(
    { name: wireNames.from, in: 'header' },
    { type: 'string', pattern: `^(?:${END_ID})?$|${positionForm.source}` },
    'The id of the last event that was seen, to go on behind it.',
    END_ID,
  );

const query = (name: string): Place => ({ name, in: 'query' });

const warnBefore = (): Parameter =>
  parameter(
    query(wireNames.warnBefore),
    { type: 'integer', minimum: 1, maximum: WARNING_SECONDS },
    'Seconds, in decimal digits: with it `session.expiring` comes that long before the clock ends the session.',
    30,
  );

/** Of a list or a get. */
const historyLimit = (): Parameter =>
  parameter(
    query(wireNames.historyLimit),
    { type: 'integer', minimum: 0 },
    'The most entries of each history, counted from the latest, in decimal digits. Without it, all.',
    20,
  );

const createdAt = '2026-01-31T18:00:00.000Z';

const whole: Schema = { type: 'integer', minimum: 1 };

/** The parameters of the list's query. A default stands here only where it may be sent with all others. */
const listParameters = {
  limit: parameter(
    query('limit'),
    { ...whole, default: DEFAULT_PAGE_LIMIT },
    `Sessions on a page, in decimal digits; above ${PAGE_LIMIT} is served as ${PAGE_LIMIT}.`,
    DEFAULT_PAGE_LIMIT,
  ),
  page: parameter(query('page'), whole, 'The number of the page. Default: 1. Not together with `after`.', 1),
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
    ref('SessionStatus'),
    'Only the sessions that are in this status.',
    sessionStatuses[1],
  ),
  createdAfter: parameter(
    query(wireNames.createdAfter),
    ref('Timestamp'),
    'Only what was created later than this.',
    createdAt,
  ),
  createdBefore: parameter(
    query(wireNames.createdBefore),
    ref('Timestamp'),
    'Only what was created earlier than this.',
    createdAt,
  ),
  historyLimit: historyLimit(),
} satisfies Readonly<Record<keyof PageQuery, Parameter>>;

/** All of them, by the names of their components. */
export const parametersOf = (policy: InputPolicy) => ({
  sessionId: sessionId(policy),
  idempotencyKey: idempotencyKey(policy),
  operationId: operationId(policy),
  lastEventId: lastEventId(),
  warnBefore: warnBefore(),
  ...listParameters,
});

/** Leads to a parameter. */
export const parameterRef = (name: keyof ReturnType<typeof parametersOf>): Reference => ({
  $ref: `#/components/parameters/${name}`,
});

/** Leads to each parameter of the list's query. */
export const listQuery: readonly Reference[] = Object.keys(listParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));
