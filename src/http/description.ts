import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { isFields } from '../input/values.js';
import { authenticated } from './authentication.js';
import type { Answer } from './call.js';
import { type HandlerError, misconfigured } from './errors.js';
import type { HandlerRequest } from './message.js';
import { tidyPrefix } from './prefix.js';
import { commonHeaders } from './problem.js';
import { allowedMethods, isAllowed, type Switches } from './routes.js';
import type { HandlerSettings } from './settings.js';
import type { Sessions, TenantSessions } from './tenant-sessions.js';

/** What a handler serves, for whoever describes it: so that no host has to say it twice, and no two sayings differ. */
export interface HttpSurface extends Switches {
  readonly sessions: Sessions<TenantSessions>;
  readonly maxBodyBytes: number;
  readonly prefix: string;
  readonly openapi: { readonly public: boolean };
}

/**
 * Makes the document of what a handler serves: `openApiDocument` of `colloquy/openapi`, or a function of the host's own
 * around it. The handler is given it rather than having it, so that those who serve no document do not load what makes it.
 */
export type Describe = (surface: HttpSurface) => Result<object, InvalidInput>;

/** How the document is served: to whoever has an API key, or to everybody. */
export type OpenApiServing = Describe | { readonly document: Describe; readonly public?: boolean };

export const DESCRIPTION_PATH = '/openapi.json';

export const isDescriptionUrl = (url: string): boolean =>
  url === DESCRIPTION_PATH || url.startsWith(`${DESCRIPTION_PATH}?`);

const isServing = (given: OpenApiServing): boolean =>
  typeof given === 'function' ||
  (isFields(given) &&
    typeof given.document === 'function' &&
    (given.public === undefined || typeof given.public === 'boolean'));

export const checkServing = (issues: IssueList, given: OpenApiServing | undefined): void =>
  issues.check(
    given === undefined || isServing(given),
    'openapi',
    'must be openApiDocument, or { document: openApiDocument, public }',
  );

/** What the handler has for describing itself. */
export interface DescriptionCall {
  readonly settings: HandlerSettings;
  readonly switches: Switches;
  readonly request: HandlerRequest;
}

const made = (document: Describe, surface: HttpSurface): Result<string, HandlerError> =>
  readSafely('openapi', () => document(surface))
    .andThen((result) => result)
    .map((value) => JSON.stringify(value))
    .mapErr(({ issues }) => misconfigured(issues));

/**
 * Answers with the document, to whoever may see it. It is made once for a prefix, of which most hosts have one: a
 * stranger who may ask for it should cost next to nothing.
 */
export const describer = (serving: OpenApiServing): ((call: DescriptionCall) => Answer) => {
  const { document, public: isPublic = false } = typeof serving === 'function' ? { document: serving } : serving;
  let last: { readonly prefix: string; readonly body: string } | undefined;
  return async ({ settings, switches, request }) => {
    if (!isPublic) {
      const tenant = await authenticated(settings, request.header('x-api-key'));
      if (tenant.isErr()) return err(tenant.error);
    }
    if (!isAllowed('get', request.method)) return err({ type: 'method_not_allowed', allow: allowedMethods.get });
    const { sessions, maxBodyBytes } = settings;
    const prefix = tidyPrefix(request.prefix);
    const surface: HttpSurface = { ...switches, sessions, maxBodyBytes, prefix, openapi: { public: isPublic } };
    const body = last?.prefix === prefix ? ok(last.body) : made(document, surface);
    if (body.isErr()) return err(body.error);
    last = { prefix, body: body.value };
    return ok({ status: 200, headers: commonHeaders, body: body.value });
  };
};
