import { invalidInput } from '../errors.js';
import type { HandlerError } from '../http/handler-error.js';
import { fixed, problem, statuses, titles } from '../http/problem.js';
import type { HandlerResponse } from '../http/session-handler.js';
import type { AnyOperation } from '../operations/operation.js';
import { ref } from '../operations/shape.js';
import { headersOf } from './headers-of.js';
import type { Example, Response } from './types.js';

type Code = HandlerError['type'];
type Status = (typeof statuses)[Code];

/** The errors of an operation: its own, those of reading its body, and those of authentication. */
export const codesOf = (
  { errors, body }: Pick<AnyOperation, 'errors' | 'body'>,
  isForEverybody: boolean,
): readonly Code[] => {
  const ofKey: readonly Code[] = isForEverybody ? [] : ['unauthenticated', 'authenticator_unavailable'];
  const ofBody: readonly Code[] = body === undefined ? [] : ['body_too_large', 'unsupported_media_type'];
  return [...ofKey, 'misconfigured', ...ofBody, ...errors];
};

const answerTo = (code: Code): HandlerResponse => {
  if (code === 'invalid_input') return problem(invalidInput([{ path: 'body', message: 'must be a JSON object' }]));
  if (code === 'method_not_allowed') return problem({ type: code, allow: 'GET, HEAD' });
  return fixed(code);
};

const exampleOf = (code: Code): Example => ({ value: JSON.parse(answerTo(code).body ?? '') });

const problemResponse = (status: Status, codes: readonly Code[]): Response => ({
  description: codes.map((code) => `\`${code}\``).join(' or '),
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

const inPascalCase = (words: string): string =>
  words.replace(/(?:^|[ _])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The response for the errors of one status, with its component name. */
export interface ProblemResponse {
  readonly status: Status;
  /** `InvalidTransitionOrConflict`; for more than two codes the title of their status, such as `ServiceUnavailable`. */
  readonly name: string;
  readonly response: Response;
}

/** One response for each status of these errors. */
export const problemResponses = (codes: readonly Code[]): readonly ProblemResponse[] =>
  [...new Set(codes.map((code) => statuses[code]))]
    .toSorted((a, b) => a - b)
    .map((status) => {
      const given = codes.filter((code) => statuses[code] === status);
      const name = inPascalCase(given.length > 2 ? titles[status] : given.join('_or_'));
      return { status, name, response: problemResponse(status, given) };
    });
