// What a host writes that mounts the handler and wires it with a container.
import { createServer } from 'node:http';
import { SessionService } from 'colloquy';
import { expressMiddleware } from 'colloquy/express';
import { fetchHandler } from 'colloquy/fetch';
import { createSessionHandler, staticApiKeys } from 'colloquy/http';
import {
  coreModule,
  handlerModule,
  memoryModule,
  postgresModule,
  redisModule,
  sqliteModule,
  TYPES,
} from 'colloquy/inversify';
import { koaMiddleware } from 'colloquy/koa';
import { MemorySessionStore } from 'colloquy/memory';
import { nodeListener } from 'colloquy/node';
import { PostgresSessionStore } from 'colloquy/postgres';
import { RedisSessionStore } from 'colloquy/redis';
import { SqliteSessionStore } from 'colloquy/sqlite';
import { openTelemetry } from 'colloquy/telemetry';
import { Container } from 'inversify';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { Pool } from 'pg';

const handler = createSessionHandler({
  sessions: new SessionService({ store: new MemorySessionStore() }),
  authenticate: staticApiKeys([
    { key: 'a-key-of-at-least-some-length-0123456789', tenant: 'acme' },
  ]),
});

export const server = createServer(nodeListener(handler));
export const express = expressMiddleware(handler);
export const koa = koaMiddleware(handler);
export const respond: (request: Request) => Promise<Response> | Response = fetchHandler(handler);

const client = new Redis({ lazyConnect: true });
export const store = new RedisSessionStore({ client });

const container = new Container();
container.load(coreModule(), redisModule({ client }));
export const sessions = container.get<SessionService>(TYPES.SessionService);
const database = new Database(':memory:');
export const embedded = new SqliteSessionStore({ database });
const pool = new Pool();
pool.on('error', () => undefined);
export const shared = new PostgresSessionStore({ pool });
export const modules = [
  memoryModule,
  handlerModule,
  () => sqliteModule({ database }),
  () => postgresModule({ pool }),
];

export const traced = new SessionService({
  store,
  observers: [openTelemetry({ tenant: 'spans' })],
});
