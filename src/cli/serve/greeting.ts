import { randomBytes } from 'node:crypto';
import { type AddressInfo, isIP } from 'node:net';
import { idOfKey } from '../../ids.js';
import type { ApiKeys } from './api-keys.js';

/** Where to reach this machine when it listens on every address that it has. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The server's URL as clients on this machine write it. */
export const originOf = (host: string, { address, port }: AddressInfo): string => {
  const name = isIP(host) === 0 ? host : (reachable[address] ?? address);
  return `http://${name.includes(':') ? `[${name.replace('%', '%25')}]` : name}:${port}`;
};

const JSON_BODY = `-H 'Content-Type: application/json' -d '{"face":"ada","profile":"tutor"}'`;

const listLine = (origin: string, key: string): string => `curl -H ${key} '${origin}/sessions?limit=10&page=1'`;

/** The idempotency key of the first line decides the id of the session, and so the last line is known already. */
const linesForMadeKey = async (origin: string, made: NonNullable<ApiKeys['made']>): Promise<string[]> => {
  const once = `try-${randomBytes(4).toString('hex')}`;
  const key = `'X-API-KEY: ${made.key}'`;
  return [
    '',
    `API key, made for this run: ${made.key}`,
    'Set COLLOQUY_API_KEYS to use keys of your own.',
    '',
    '# create a session; without the Idempotency-Key, another one each time',
    `curl -H ${key} -H 'Idempotency-Key: ${once}' ${JSON_BODY} '${origin}/create-session'`,
    '# list the sessions',
    listLine(origin, key),
    '# get the session',
    `curl -H ${key} '${origin}/session/${await idOfKey(made.tenant, once)}'`,
  ];
};

const linesForTheirKeys = (origin: string): string[] => {
  const key = '"X-API-KEY: $KEY"';
  return [
    '',
    'With one of your API keys in $KEY:',
    `curl -H ${key} ${JSON_BODY} '${origin}/create-session'`,
    listLine(origin, key),
  ];
};

/** What the server says when it is up: where it is, and lines to paste into a shell. Holds no key but a made one. */
export const greeting = async (
  origin: string,
  storePlace: string,
  { made }: ApiKeys,
  hasInspector: boolean,
): Promise<string> => {
  const keeping = storePlace === 'memory' ? 'memory, for as long as it runs' : storePlace;
  const lines = made === undefined ? linesForTheirKeys(origin) : await linesForMadeKey(origin, made);
  const inspector = hasInspector ? ['', `Look at them: ${origin}/inspector, with an API key as the password.`] : [];
  const first = `Colloquy listens on ${origin} and keeps sessions in ${keeping}. Ctrl-C stops it.`;
  return [first, ...lines, ...inspector, ''].join('\n');
};
