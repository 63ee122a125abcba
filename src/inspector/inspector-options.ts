import type { Authenticate, AuthenticationRequest } from '../http/index.js';
import type { IssueList } from '../input/issue-list.js';
import { parseOptions } from '../input/parse-options.js';

/**
 * The part of a request that an authenticator receives: its method, path and headers, including
 * cookies.
 */
export type InspectorRequest = AuthenticationRequest;

/** Returns the tenant whose sessions a request may read, or undefined to deny the request. */
export type InspectorAuthenticate = (request: InspectorRequest) => ReturnType<Authenticate>;

/** Options of the inspector. */
export interface InspectorOptions {
  /** Called for every request of the page and its data. */
  readonly authenticate: InspectorAuthenticate;
  /**
   * The `WWW-Authenticate` header of a 401, such as `Basic realm="Colloquy"`. Default: `Inspector`,
   * for which browsers show no login dialog.
   */
  readonly challenge?: string | undefined;
  /** Whether the page can end sessions. Default: true. */
  readonly terminate?: boolean | undefined;
}

/** The checked options with their defaults. */
export interface InspectorSettings {
  readonly authenticate: InspectorAuthenticate;
  readonly challenge: string;
  readonly terminate: boolean;
}

const DEFAULT_CHALLENGE = 'Inspector';

const challenges = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

const parseChallenge = (issues: IssueList, value: unknown): string => {
  const fits = typeof value === 'string' && challenges.test(value);
  issues.check(
    fits,
    'challenge',
    'must be 1 to 1024 visible ASCII characters, with spaces between',
  );
  return fits ? value : DEFAULT_CHALLENGE;
};

const optionNames = { authenticate: true, challenge: true, terminate: true } as const;

export const parseInspectorOptions = (options: InspectorOptions): InspectorSettings =>
  parseOptions('inspectorRoutes', options, optionNames, (issues) => {
    const { authenticate, challenge = DEFAULT_CHALLENGE, terminate = true } = options;
    issues.check(typeof terminate === 'boolean', 'terminate', 'must be true or false');
    const isFunction = typeof authenticate === 'function';
    issues.check(
      isFunction,
      'authenticate',
      'must be a function, such as that of apiKeyAsPassword',
    );
    return {
      authenticate,
      challenge: parseChallenge(issues, challenge),
      terminate,
    };
  });
