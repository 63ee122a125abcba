import { err, ok, type Result } from 'neverthrow';
import type { IssueList } from '../input/issues.js';
import { isFields } from '../input/values.js';
import { authenticatedByKey } from './authentication.js';
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
export type Describe = (surface: HttpSurface) => object;

/** How the document is served: to whoever has an API key, or to everybody. */
export type OpenApiServing = Describe | { readonly document: Describe; readonly public?: boolean };

/** The same, read and with its default. */
export interface DescriptionServing {
  readonly document: Describe;
  readonly isPublic: boolean;
}

export const DESCRIPTION_PATH = '/openapi.json';

export const isDescriptionUrl = (url: string): boolean =>
  url === DESCRIPTION_PATH || url.startsWith(`${DESCRIPTION_PATH}?`);

export const readServing = (issues: IssueList, given: OpenApiServing | undefined): DescriptionServing | undefined => {
  if (given === undefined) return undefined;
  if (typeof given === 'function') return { document: given, isPublic: false };
  const { document, public: isPublic = false } = isFields(given) ? given : { document: undefined };
  const fits = typeof document === 'function' && typeof isPublic === 'boolean';
  issues.check(fits, 'openapi', 'must be openApiDocument, or { document: openApiDocument, public }');
  return fits ? { document, isPublic } : undefined;
};

/** Answers with the document, to whoever may see it. */
export type Describer = (request: HandlerRequest) => Answer;

/**
 * The document is made once for a prefix, of which most hosts have one: a stranger who may ask for it should cost next to
 * nothing. It is made for the first time here, so that a wrong option of its own throws when the handler is made.
 */
export const describer = (
  { document, isPublic }: DescriptionServing,
  settings: HandlerSettings,
  switches: Switches,
): Describer => {
  const { sessions, maxBodyBytes } = settings;
  const make = (prefix: string) => ({
    prefix,
    body: JSON.stringify(document({ ...switches, sessions, maxBodyBytes, prefix, openapi: { public: isPublic } })),
  });
  let last = make('');
  const bodyFor = (prefix: string): Result<string, HandlerError> => {
    try {
      if (last.prefix !== prefix) last = make(prefix);
      return ok(last.body);
    } catch (cause) {
      return err(misconfigured([{ path: 'openapi', message: `could not be made: ${String(cause)}` }]));
    }
  };
  return async (request) => {
    if (!isPublic) {
      const tenant = await authenticatedByKey(settings, request);
      if (tenant.isErr()) return err(tenant.error);
    }
    if (!isAllowed('get', request.method)) return err({ type: 'method_not_allowed', allow: allowedMethods.get });
    return bodyFor(tidyPrefix(request.prefix)).map((body) => ({ status: 200, headers: commonHeaders, body }));
  };
};
