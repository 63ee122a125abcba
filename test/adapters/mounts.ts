import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import Koa from 'koa';
import { expressMiddleware } from '../../adapters/express/index.js';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import type { SessionHandler } from '../../src/http/index.js';

type Mount = readonly [name: string, mount: (handler: SessionHandler) => RequestListener];

/** The mounts through which Node hands its own requests to a handler. */
export const nodeMounts: readonly Mount[] = [
  ['node:http', (handler) => nodeListener(handler)],
  ['Express', (handler) => express().use(expressMiddleware(handler))],
  [
    'Koa',
    (handler) => Object.assign(new Koa(), { silent: true }).use(koaMiddleware(handler)).callback(),
  ],
];

export const mounts: readonly Mount[] = [
  ...nodeMounts,
  ['Fetch', (handler) => getRequestListener(fetchHandler(handler))],
];
