import { isIPv6 } from 'node:net';
import { err, ok, type Result } from 'neverthrow';
import type { Environment } from '../command.js';
import { readRedisUrl, readVariable, readWholeNumber } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { type ApiKeys, readApiKeys } from './api-keys.js';

export interface ServeSettings {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Nothing for a store in memory. */
  readonly redis: URL | undefined;
  readonly keys: ApiKeys;
  /** Whether clients may start, append to, end and delete sessions. */
  readonly commands: boolean;
  /** Whether changes are told, and clients may follow them. */
  readonly events: boolean;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = '3000';

const readHost = (host: string): Result<string, Failure> =>
  /^[\w.-]{1,253}$/.test(host) || isIPv6(host)
    ? ok(host)
    : err(misuse('HOST must be a name or an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1'));

const readSwitch = (env: Environment, name: string): Result<boolean, Failure> =>
  readVariable(env, name).andThen((text = 'off') =>
    text === 'on' || text === 'off' ? ok(text === 'on') : err(misuse(`${name} must be on or off`)),
  );

/** What the environment says about serving. */
export const readServeSettings = (env: Environment): Result<ServeSettings, Failure> =>
  readVariable(env, 'HOST')
    .andThen((text = DEFAULT_HOST) => readHost(text))
    .andThen((host) =>
      readVariable(env, 'PORT')
        .andThen((text = DEFAULT_PORT) => readWholeNumber('PORT', text, 0, 65_535))
        .andThen((port) =>
          readVariable(env, 'REDIS_URL')
            .andThen((text) => (text === undefined ? ok(undefined) : readRedisUrl('REDIS_URL', text)))
            .andThen((redis) =>
              readVariable(env, 'COLLOQUY_API_KEYS')
                .andThen(readApiKeys)
                .andThen((keys) =>
                  readSwitch(env, 'COLLOQUY_COMMANDS').andThen((commands) =>
                    readSwitch(env, 'COLLOQUY_EVENTS').map((events) => ({ host, port, redis, keys, commands, events })),
                  ),
                ),
            ),
        ),
    );
