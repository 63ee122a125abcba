import { problemExtensions } from '../endpoints/problem-extensions.js';
import { about, named, plain, type Schema } from '../schema/schema.js';
import { anyText } from '../schema/values.js';
import { wireObject } from '../schema/wire.js';
import { httpStatuses } from '../service/http-status-of.js';

export const problemStatuses = {
  ...httpStatuses,
  unauthenticated: 401,
  route_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  authenticator_unavailable: 503,
  too_many_streams: 503,
} as const;

/** The phrases of RFC 9110: RFC 9457 requires them for the type `about:blank`. */
export const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const satisfies Readonly<
  Record<(typeof problemStatuses)[keyof typeof problemStatuses], string>
>;

/**
 * The body of an error. It may have more members (RFC 9457, 3.2). A function, because a constant
 * that spreads others stays in every bundle.
 */
export const problem = (): Schema<unknown> => {
  const codes = plain({ type: 'string', enum: Object.keys(problemStatuses) });
  const members = wireObject({
    type: plain({ type: 'string', const: 'about:blank' }),
    title: anyText,
    status: plain({ type: 'integer', enum: Object.keys(titles).map(Number) }),
    detail: about('What is wrong, for people.', anyText),
    code: named('ProblemCode', about('The error code, for programs.', codes)),
    ...problemExtensions,
  });
  const { additionalProperties: _, ...open } = members.json();
  const means = 'An error: the members of RFC 9457, and what else the code tells.';
  return named('Problem', about(means, { ...members, json: () => open }));
};
