import type { Authenticate } from '../http/index.js';
import { functionOf } from '../schema/host-values.js';
import { readArgument } from '../schema/options-of.js';
import type { InspectorOptions } from './inspector-options.js';

/** The password of `Authorization: Basic`, RFC 7617, if there is one. */
const passwordOf = (authorization: string | undefined): string | undefined => {
  const credentials = /^basic +([\w+/-]+={0,2}) *$/i.exec(authorization ?? '')?.[1];
  if (credentials === undefined) return undefined;
  try {
    const pair = atob(credentials);
    const colon = pair.indexOf(':');
    return colon < 0 ? undefined : pair.slice(colon + 1);
  } catch {
    return undefined;
  }
};

const authenticator = functionOf('must be a function, such as the result of staticApiKeys');

/**
 * Authenticates with an API key: the browser asks for a user name and a password. The password is
 * the API key; the user name is ignored. Use it only with TLS or on one machine.
 *
 *     inspectorRoutes(apiKeyAsPassword(staticApiKeys(keys)))
 */
export const apiKeyAsPassword = (
  authenticate: Authenticate,
): Pick<InspectorOptions, 'authenticate' | 'challenge'> => {
  readArgument('apiKeyAsPassword', 'authenticate', authenticator, authenticate);
  return {
    challenge: 'Basic realm="Colloquy", charset="UTF-8"',
    authenticate: (request) => {
      const key = passwordOf(request.header('authorization'));
      return key ? authenticate(key, request) : undefined;
    },
  };
};
