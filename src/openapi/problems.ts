import { invalidInput } from '../errors.js';
import type { WatchError } from '../events/change.js';
import type { HandlerError, TooManyStreams } from '../http/errors.js';
import type { HandlerResponse } from '../http/message.js';
import { details, fixed, problem, statuses, titles } from '../http/problem.js';
import type { AppendError } from '../service/append-history.js';
import type { ChangeError } from '../service/change-session.js';
import type { CreateError } from '../service/create-session.js';
import type { ListError } from '../service/list-sessions.js';
import type { DeleteError, ReadError } from '../service/session-service.js';
import { ref } from './schemas.js';
import type { Example, Header, Response } from './types.js';

type Code = HandlerError['type'];

/** The codes that an operation may answer with; the compiler holds it to the errors that the operation has. */
type Codes<E extends { readonly type: Code }> = Readonly<Record<E['type'] | keyof typeof anywhere, true>>;

const anywhere = { unauthenticated: true, authenticator_unavailable: true, misconfigured: true } as const;

const body = { invalid_input: true, body_too_large: true, unsupported_media_type: true } as const;

const read = { invalid_input: true, not_found: true, store_unavailable: true, corrupt_record: true } as const;

/** Of the document itself. */
const documentCodes = anywhere;

/** The same of a document that needs no key. */
const publicCodes = { misconfigured: true } as const;

const listCodes = {
  ...anywhere,
  invalid_input: true,
  store_unavailable: true,
  corrupt_record: true,
} as const satisfies Codes<ListError>;

const changeCodes = {
  ...anywhere,
  ...read,
  invalid_transition: true,
  conflict: true,
} as const satisfies Codes<ChangeError>;

export const codesOf = {
  create: {
    ...anywhere,
    ...body,
    idempotency_mismatch: true,
    conflict: true,
    store_unavailable: true,
    corrupt_record: true,
  } as const satisfies Codes<CreateError>,
  list: listCodes,
  get: { ...anywhere, ...read } as const satisfies Codes<ReadError>,
  events: { ...anywhere, ...read, too_many_streams: true } as const satisfies Codes<WatchError | TooManyStreams>,
  change: changeCodes,
  append: {
    ...anywhere,
    ...body,
    ...read,
    invalid_transition: true,
    history_full: true,
  } as const satisfies Codes<AppendError>,
  delete: {
    ...anywhere,
    invalid_input: true,
    store_unavailable: true,
    corrupt_record: true,
  } as const satisfies Codes<DeleteError>,
  document: documentCodes,
  publicDocument: publicCodes,
} as const;

const meanings: Readonly<Record<string, string>> = {
  'Cache-Control': 'Sessions are private and change by the second.',
  'Retry-After': 'Seconds after which to try again.',
  'WWW-Authenticate': 'How to authenticate: with X-API-KEY.',
  Allow: 'The methods that the path knows.',
};

/** The headers of an answer that say the same every time; the type of the content is said elsewhere. */
export const headersOf = (headers: HandlerResponse['headers']): Readonly<Record<string, Header>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'Content-Type')
      .map(([name, value]) => [
        name,
        {
          description: meanings[name] ?? name,
          required: true,
          schema: name === 'Allow' ? { type: 'string' } : { const: value },
        },
      ]),
  );

const answerTo = (code: Code): HandlerResponse => {
  if (code === 'invalid_input') return problem(invalidInput([{ path: 'body', message: 'must be a JSON object' }]));
  if (code === 'method_not_allowed') return problem({ type: code, allow: 'GET, HEAD' });
  return fixed(code);
};

const meaningOf = (code: Code): string =>
  code === 'invalid_input' ? 'What was sent breaks a rule; `errors` names each place.' : details[code];

const exampleOf = (code: Code): Example => ({ summary: meaningOf(code), value: JSON.parse(answerTo(code).body ?? '') });

const problemResponse = (status: (typeof statuses)[Code], codes: readonly Code[]): Response => ({
  description: `${titles[status]}. ${codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join(' ')}`,
  headers: Object.assign({}, ...codes.map((code) => headersOf(answerTo(code).headers))),
  content: {
    'application/json': {
      schema: {
        allOf: [ref('Problem'), { type: 'object', properties: { status: { const: status }, code: { enum: codes } } }],
      },
      examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    },
  },
});

const isCode = (name: string): name is Code => Object.hasOwn(statuses, name);

/** The errors among the answers of an operation, by their status. */
export const problemResponses = (codes: Readonly<Partial<Record<Code, true>>>): Readonly<Record<string, Response>> => {
  const given = Object.keys(codes).filter(isCode);
  const found = [...new Set(given.map((code) => statuses[code]))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    found.map((status) => [
      status,
      problemResponse(
        status,
        given.filter((code) => statuses[code] === status),
      ),
    ]),
  );
};

/** What answers a request that is for none of the operations: another method, or another path. */
export const otherwise = (): Readonly<Record<string, Response>> => ({
  MethodNotAllowed: problemResponse(405, ['method_not_allowed']),
  NoSuchPath: problemResponse(404, ['route_not_found']),
});
