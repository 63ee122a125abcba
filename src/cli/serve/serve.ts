import { err, ok } from 'neverthrow';
import type { HandlerError } from '../../http/errors.js';
import { createSessionHandler } from '../../http/handler.js';
import { apiKeyAsPassword, createInspector } from '../../inspector/index.js';
import { openApiDocument } from '../../openapi/index.js';
import { SessionService } from '../../service/session-service.js';
import { createSweeper } from '../../sweeper.js';
import type { Command } from '../command.js';
import { textOf } from '../failure.js';
import { redisHelp } from '../redis-settings.js';
import { openStore } from '../store.js';
import { greeting, originOf } from './greeting.js';
import { listen } from './server.js';
import { readServeSettings } from './settings.js';
import { stopSignal } from './stop-signal.js';

const help = `Usage: colloquy serve [options]

Serves sessions over HTTP until it is told to stop (Ctrl-C, SIGTERM). Writes down the ends that the clock makes, for the
sessions of all tenants.

Options:
  --host HOST          The name or address to listen on. Default: HOST, or 127.0.0.1, this machine alone.
  --port N             Default: PORT, or 3000. With 0, any that is free.
  --redis URL          Keeps the sessions in this Redis: redis://127.0.0.1:6379, or with all that there can be
                       rediss://user:password@host:6379/0. Needs the package ioredis. Default: REDIS_URL, and without
                       it in memory. A URL with a password belongs into REDIS_URL: others may see an argument.
${redisHelp}
  --commands           Who may come in may also start, pause, resume, terminate, fail and delete sessions, and append to
                       their histories. Default: COLLOQUY_COMMANDS, on or off, or off. --no-commands is off.
  --events             Changes are told, and who may come in may follow those of a session as Server-Sent Events.
                       Default: COLLOQUY_EVENTS, on or off, or off. --no-events is off.
  --inspector          Serves a page at /inspector that shows the sessions of whoever comes in with an API key as the
                       password, and can end them. Default: COLLOQUY_INSPECTOR, on or off, or off. --no-inspector is off.

Environment:
  COLLOQUY_API_KEYS    Who may come in: tenant:key,tenant:key,... A tenant may have several keys. In place of a key
                       its SHA-256 may stand: tenant:sha256=<64 hexadecimal digits>, as this prints them:
                       printf %s "$KEY" | sha256sum. Default: one random key, made for this run and shown.
  HOST, PORT, REDIS_URL, COLLOQUY_PREFIX, COLLOQUY_PARTITIONS, COLLOQUY_COMMANDS, COLLOQUY_EVENTS and
  COLLOQUY_INSPECTOR stand for the options; an option wins.
`;

const describe = (error: HandlerError): string => {
  const cause = 'cause' in error && error.cause !== undefined ? ` (${textOf(error.cause)})` : '';
  return `${error.type}${'message' in error ? `: ${error.message}` : ''}${cause}`;
};

const run: Command['run'] = async (args, env) => {
  const settings = readServeSettings(args, env);
  if (settings.isErr()) return err(settings.error);
  const { host, port, redis, keys, commands, events, inspector } = settings.value;
  const opened = await openStore(redis, { events });
  if (opened.isErr()) return err(opened.error);
  const { store, place, close } = opened.value;
  const sessions = new SessionService({ store });
  const { authenticate } = keys;
  const onError = (error: HandlerError) => console.error(describe(error));
  const handler = createSessionHandler({
    sessions,
    authenticate,
    commands,
    events,
    onError,
    openapi: openApiDocument,
    ...(inspector ? { inspector: createInspector(apiKeyAsPassword(authenticate)) } : {}),
  });
  const server = await listen(handler, { host, port });
  if (server.isErr()) {
    await close();
    return err(server.error);
  }
  const sweeper = createSweeper(sessions, { onError });
  sweeper.start();
  const stop = stopSignal(env['npm_lifecycle_event'] !== undefined);
  console.log(await greeting(originOf(host, server.value.address), place, keys, inspector));
  await stop;
  await server.value.close();
  await sweeper.stop();
  await close();
  console.log('Colloquy has stopped.');
  return ok(undefined);
};

export const serve: Command = { summary: 'serve sessions over HTTP', help, run };
