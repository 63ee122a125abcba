import { err, ok, type Result } from 'neverthrow';
import { timedOut, withTimeout } from './answer-of.js';
import { type HandlerError, misconfigured } from './handler-error.js';
import { tidyPrefix } from './router-of.js';
import type { Authenticate, AuthenticationRequest, DeniedRequest } from './session-handler.js';

type Authenticated = Result<string, HandlerError>;

const unavailable = (cause?: unknown): Authenticated => err({ type: 'authenticator_unavailable', cause });

const isPromise = (answer: ReturnType<Authenticate>): answer is PromiseLike<string | undefined> =>
  typeof answer === 'object' && answer !== null && typeof answer.then === 'function';

/**
 * Asks the host for the tenant of a request. The answer may be of any type: a non-empty string is a tenant, a falsy value
 * denies access, and anything else is a misconfiguration.
 */
export const authenticate = async (timeoutMs: number, ask: () => ReturnType<Authenticate>): Promise<Authenticated> => {
  try {
    const asked = ask();
    const answer: unknown = isPromise(asked) ? await withTimeout(timeoutMs, asked) : asked;
    if (answer === timedOut) return unavailable();
    if (!answer) return err({ type: 'unauthenticated' });
    if (typeof answer === 'string') return ok(answer);
    return err(misconfigured([{ path: 'authenticate', message: 'must give the name of a tenant, or nothing' }]));
  } catch (cause) {
    return unavailable(cause);
  }
};

/** Maximum number of characters of a path in a log line. */
const MAX_PATH = 256;

export const deniedRequest = (request: AuthenticationRequest): DeniedRequest => {
  const [path = ''] = request.url.split('?', 1);
  const hasKey = Boolean(request.header('x-api-key') || request.header('authorization'));
  return {
    method: request.method,
    path: `${tidyPrefix(request.prefix)}${path}`.slice(0, MAX_PATH),
    reason: hasKey ? 'wrong' : 'missing',
  };
};
