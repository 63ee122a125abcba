import { isIPv6 } from 'node:net';
import { err, ok, Result } from 'neverthrow';
import { type Environment, parseArguments } from '../command.js';
import { readSetting, readSwitch, readVariable, readWholeNumber, type Setting } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { type RedisPlace, readRedisPlace, redisOptions } from '../redis-settings.js';
import { type ApiKeys, readApiKeys } from './api-keys.js';

export interface ServeSettings {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Nothing for a store in memory. */
  readonly redis: RedisPlace | undefined;
  readonly keys: ApiKeys;
  /** Whether clients may start, append to, end and delete sessions. */
  readonly commands: boolean;
  /** Whether changes are told, and clients may follow them. */
  readonly events: boolean;
  /** Whether there is a page to look at sessions with. */
  readonly inspector: boolean;
}

const DEFAULT_HOST = { name: '', text: '127.0.0.1' };
const DEFAULT_PORT = { name: '', text: '3000' };

const readHost = ({ name, text }: Setting): Result<string, Failure> =>
  /^[\w.-]{1,253}$/.test(text) || isIPv6(text)
    ? ok(text)
    : err(misuse(`${name} must be a name or an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::1`));

/** What the arguments and the environment say about serving. */
export const readServeSettings = (args: readonly string[], env: Environment): Result<ServeSettings, Failure> =>
  parseArguments({
    args: [...args],
    allowNegative: true,
    options: {
      ...redisOptions,
      host: { type: 'string' },
      port: { type: 'string' },
      commands: { type: 'boolean' },
      events: { type: 'boolean' },
      inspector: { type: 'boolean' },
    },
  }).andThen(({ values }) =>
    Result.combine([
      readSetting(['--host', values.host], env, 'HOST').andThen((setting = DEFAULT_HOST) => readHost(setting)),
      readSetting(['--port', values.port], env, 'PORT').andThen(({ name, text } = DEFAULT_PORT) =>
        readWholeNumber(name, text, 0, 65_535),
      ),
      readRedisPlace(values, env),
      readVariable(env, 'COLLOQUY_API_KEYS').andThen(readApiKeys),
      readSwitch(values.commands, env, 'COLLOQUY_COMMANDS'),
      readSwitch(values.events, env, 'COLLOQUY_EVENTS'),
      readSwitch(values.inspector, env, 'COLLOQUY_INSPECTOR'),
    ]).map(([host, port, redis, keys, commands, events, inspector]) => ({
      host,
      port,
      redis,
      keys,
      commands,
      events,
      inspector,
    })),
  );
