import type {
  AppendError,
  ChangeError,
  CreateError,
  DeleteError,
  ListError,
  ReadError,
  WatchError,
} from '../errors.js';
import { invalidInput } from '../errors.js';
import type { HandlerError, TooManyStreams } from '../http/errors.js';
import type { HandlerResponse } from '../http/message.js';
import { details, fixed, problem, statuses, titles } from '../http/problem.js';
import { headersOf } from './headers.js';
import { ref } from './schemas.js';
import type { Example, Reference, Response } from './types.js';

type Code = HandlerError['type'];
type Status = (typeof statuses)[Code];

type Codes = Readonly<Partial<Record<Code, true>>>;

/** The codes that an operation may answer with; the compiler holds it to the errors that the operation has. */
type CodesOf<E extends { readonly type: Code }> = Readonly<Record<E['type'] | keyof typeof anywhere, true>>;

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
  page_too_large: true,
  store_unavailable: true,
  corrupt_record: true,
} as const satisfies CodesOf<ListError>;

const changeCodes = {
  ...anywhere,
  ...read,
  invalid_transition: true,
  conflict: true,
} as const satisfies CodesOf<ChangeError>;

export const codesOf = {
  create: {
    ...anywhere,
    ...body,
    idempotency_mismatch: true,
    conflict: true,
    store_unavailable: true,
    corrupt_record: true,
  } as const satisfies CodesOf<CreateError>,
  list: listCodes,
  get: { ...anywhere, ...read } as const satisfies CodesOf<ReadError>,
  events: { ...anywhere, ...read, too_many_streams: true } as const satisfies CodesOf<WatchError | TooManyStreams>,
  change: changeCodes,
  append: {
    ...anywhere,
    ...body,
    ...read,
    invalid_transition: true,
    history_full: true,
  } as const satisfies CodesOf<AppendError>,
  delete: {
    ...anywhere,
    invalid_input: true,
    store_unavailable: true,
    corrupt_record: true,
  } as const satisfies CodesOf<DeleteError>,
  document: documentCodes,
  publicDocument: publicCodes,
} as const;

/** What answers a request that is for none of the operations: another path, or another method. */
const otherwise = { route_not_found: true, method_not_allowed: true } as const;

const answerTo = (code: Code): HandlerResponse => {
  if (code === 'invalid_input') return problem(invalidInput([{ path: 'body', message: 'must be a JSON object' }]));
  if (code === 'method_not_allowed') return problem({ type: code, allow: 'GET, HEAD' });
  return fixed(code);
};

const meaningOf = (code: Code): string =>
  code === 'invalid_input' ? 'What was sent breaks a rule; `errors` names each place.' : details[code];

const exampleOf = (code: Code): Example => ({ value: JSON.parse(answerTo(code).body ?? '') });

const problemResponse = (status: Status, codes: readonly Code[]): Response => ({
  description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join(' '),
  headers: Object.assign({}, ...codes.map((code) => headersOf(answerTo(code).headers))),
  content: {
    'application/json': {
      schema: {
        allOf: [
          ref('Problem'),
          {
            type: 'object',
            properties: { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } },
          },
        ],
      },
      examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
    },
  },
});

const isCode = (name: string): name is Code => Object.hasOwn(statuses, name);

const inPascalCase = (words: string): string =>
  words.replace(/(?:^|[ _])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `InvalidTransitionOrConflict`, or for more than two codes what their status says: `ServiceUnavailable`. */
const nameOf = (status: Status, codes: readonly Code[]): string =>
  inPascalCase(codes.length > 2 ? titles[status] : codes.join('_or_'));

/** The errors of an operation: a response for each status, with the codes that it may have. */
const grouped = (codes: Codes): readonly { status: Status; codes: readonly Code[] }[] => {
  const given = Object.keys(codes).filter(isCode);
  const found = [...new Set(given.map((code) => statuses[code]))].toSorted((a, b) => a - b);
  return found.map((status) => ({ status, codes: given.filter((code) => statuses[code] === status) }));
};

/** The errors among the answers of an operation, by their status. */
export const problemResponses = (codes: Codes): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    grouped(codes).map((each) => [each.status, { $ref: `#/components/responses/${nameOf(each.status, each.codes)}` }]),
  );

/** The errors of all operations, by the names of their components. */
export const problemComponents = (): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    [...Object.values(codesOf), otherwise]
      .flatMap(grouped)
      .map(({ status, codes }) => [nameOf(status, codes), problemResponse(status, codes)]),
  );
