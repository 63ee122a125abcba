import { err, ok, type Result } from 'neverthrow';
import type { Authenticate, AuthenticationRequest, DeniedRequest } from './authenticate.js';
import { type AuthenticatorUnavailable, type Misconfigured, misconfigured, type Unauthenticated } from './errors.js';
import { tidyPrefix } from './prefix.js';
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

const tenantNamed = async (
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

/** A path can be as long as the server allows; a log line should not be. */
const MOST_PATH = 256;

const deniedRequest = (request: AuthenticationRequest): DeniedRequest => {
  const [path = ''] = request.url.split('?', 1);
  const hasKey = Boolean(request.header('x-api-key') || request.header('authorization'));
  return {
    method: request.method,
    path: `${tidyPrefix(request.prefix)}${path}`.slice(0, MOST_PATH),
    reason: hasKey ? 'wrong' : 'missing',
  };
};

/** The tenant whose sessions a request may reach. The host is told of a request that may reach none. */
export const authenticated = async (
  { timeoutMs, tellDenied }: Pick<HandlerSettings, 'timeoutMs' | 'tellDenied'>,
  request: AuthenticationRequest,
  ask: (request: AuthenticationRequest) => ReturnType<Authenticate>,
): Promise<Result<string, AuthenticationError>> => {
  const tenant = await tenantNamed(timeoutMs, () => ask(request));
  if (tenant.isErr() && tenant.error.type === 'unauthenticated') tellDenied(deniedRequest(request));
  return tenant;
};

/** The same by the handler's own authenticator. */
export const authenticatedByKey = (
  settings: HandlerSettings,
  request: AuthenticationRequest,
): Promise<Result<string, AuthenticationError>> =>
  authenticated(settings, request, () => settings.authenticate(request.header('x-api-key') ?? '', request));
