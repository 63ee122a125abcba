import type { Authenticate, AuthenticationRequest } from '../http/index.js';
import { readOptions } from '../input/read-options.js';
import type { IssueList } from '../input/read-safely.js';

/** What an authenticator sees of a request: its cookies and all other headers. */
export type InspectorRequest = AuthenticationRequest;

/** Gives the tenant whose sessions a request may look at, or nothing if it may look at none. */
export type InspectorAuthenticate = (request: InspectorRequest) => ReturnType<Authenticate>;

/** What the inspector is made with. */
export interface InspectorOptions {
  /** Asked for every request, the page and its data. */
  readonly authenticate: InspectorAuthenticate;
  /** The `WWW-Authenticate` of a 401, such as `Basic realm="Colloquy"`. Default: `Inspector`, for which no browser asks. */
  readonly challenge?: string;
  /** Whether sessions can be ended from the page. Default: true. */
  readonly terminate?: boolean;
}

/** The options, read and with their defaults. */
export interface InspectorSettings {
  readonly authenticate: InspectorAuthenticate;
  readonly challenge: string;
  readonly terminate: boolean;
}

const DEFAULT_CHALLENGE = 'Inspector';

const challenges = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

const readChallenge = (issues: IssueList, value: unknown): string => {
  const fits = typeof value === 'string' && challenges.test(value);
  issues.check(fits, 'challenge', 'must be 1 to 1024 visible ASCII characters, with spaces between');
  return fits ? value : DEFAULT_CHALLENGE;
};

const optionNames = { authenticate: true, challenge: true, terminate: true } as const;

export const readInspectorOptions = (options: InspectorOptions): InspectorSettings =>
  readOptions('inspectorRoutes', options, optionNames, (issues) => {
    const { authenticate, challenge = DEFAULT_CHALLENGE, terminate = true } = options;
    issues.check(typeof terminate === 'boolean', 'terminate', 'must be true or false');
    const isFunction = typeof authenticate === 'function';
    issues.check(isFunction, 'authenticate', 'must be a function, or what apiKeyAsPassword gives');
    return {
      authenticate,
      challenge: readChallenge(issues, challenge),
      terminate,
    };
  });
