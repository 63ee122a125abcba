import type { Authenticate, AuthenticationRequest } from '../http/index.js';
import { functionOf } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { flag, matching } from '../schema/values.js';

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
   * The `WWW-Authenticate` header of a 401, like `Basic realm="Colloquy"`. Default: `Inspector`,
   * for which browsers show no login dialog.
   */
  readonly challenge?: string | undefined;
  /** Allow the page to withdraw messages, cancel turns and end sessions. Default: true. */
  readonly write?: boolean | undefined;
}

export interface InspectorSettings {
  readonly authenticate: InspectorAuthenticate;
  readonly challenge: string;
  readonly write: boolean;
}

const DEFAULT_CHALLENGE = 'Inspector';

const challenges = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;

const read = optionsOf('inspectorRoutes', {
  authenticate: functionOf('must be a function, such as that of apiKeyAsPassword'),
  challenge: optional(
    matching(challenges, 'must be 1 to 1024 visible ASCII characters, with spaces between'),
    DEFAULT_CHALLENGE,
  ),
  write: optional(flag, true),
} satisfies Readonly<Record<keyof InspectorOptions, Schema<unknown>>>);

export const parseInspectorOptions = (options: InspectorOptions): InspectorSettings => {
  const { challenge, write } = read(options);
  return { authenticate: options.authenticate, challenge, write };
};
