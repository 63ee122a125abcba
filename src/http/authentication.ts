import { err, ok, type Result } from 'neverthrow';
import type { Authenticate } from './api-keys.js';
import { type AuthenticatorUnavailable, type Misconfigured, misconfigured, type Unauthenticated } from './errors.js';
import type { HandlerSettings } from './settings.js';
import { late, within } from './within.js';

export type AuthenticationError = Unauthenticated | AuthenticatorUnavailable | Misconfigured;

const unauthenticated = err<string, AuthenticationError>({ type: 'unauthenticated' });

const unusable = err<string, AuthenticationError>(
  misconfigured([{ path: 'authenticate', message: 'must give the name of a tenant, or nothing' }]),
);

const unavailable = (cause?: unknown) => err<string, AuthenticationError>({ type: 'authenticator_unavailable', cause });

/** A host's answer may be of any type. Only a name opens anything; none, in whatever form, is a wrong key. */
const readTenant = (answer: unknown): Result<string, AuthenticationError> => {
  if (answer === late) return unavailable();
  if (!answer) return unauthenticated;
  return typeof answer === 'string' ? ok(answer) : unusable;
};

const isPromise = (answer: ReturnType<Authenticate>): answer is PromiseLike<string | undefined> =>
  typeof answer === 'object' && answer !== null && typeof answer.then === 'function';

/** The tenant that the host names when it is asked. */
export const tenantNamed = async (
  timeoutMs: number,
  ask: () => ReturnType<Authenticate>,
): Promise<Result<string, AuthenticationError>> => {
  try {
    const answer = ask();
    return readTenant(isPromise(answer) ? await within(timeoutMs, answer) : answer);
  } catch (cause) {
    return unavailable(cause);
  }
};

/** The tenant that an API key belongs to. */
export const authenticated = async (
  { authenticate, timeoutMs }: HandlerSettings,
  key: string | undefined,
): Promise<Result<string, AuthenticationError>> =>
  key ? tenantNamed(timeoutMs, () => authenticate(key)) : unauthenticated;
