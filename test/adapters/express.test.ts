import type { RequestListener } from 'node:http';
import express from 'express';
import express4 from 'express4';
import { expressMiddleware } from '../../adapters/express/index.js';
import type { SessionHandler } from '../../src/http/index.js';
import { describeAdapter, describeBodies, describeMount } from '../http/describe-http.js';
import { listening } from '../http/serve.js';

type Parser = 'json' | 'raw' | 'text';

const limit = 1024 * 1024;

/** Parses every body, whatever its media type. */
const type = () => true;

const app5 = (
  handler: SessionHandler,
  prefix: string,
  parser: Parser | undefined,
): RequestListener => {
  const parsers = {
    json: express.json({ limit }),
    raw: express.raw({ type, limit }),
    text: express.text({ type, limit }),
  };
  const app = express();
  if (parser !== undefined) app.use(parsers[parser]);
  return app.use(prefix || '/', expressMiddleware(handler));
};

const app4 = (
  handler: SessionHandler,
  prefix: string,
  parser: Parser | undefined,
): RequestListener => {
  const parsers = {
    json: express4.json({ limit }),
    raw: express4.raw({ type, limit }),
    text: express4.text({ type, limit }),
  };
  const app = express4();
  if (parser !== undefined) app.use(parsers[parser]);
  return app.use(prefix || '/', expressMiddleware(handler));
};

const mounts = [
  ['Express 5', app5, undefined, '', describeMount],
  ['Express 5', app5, 'json', '/api', describeAdapter],
  ['Express 5', app5, 'raw', '/api', describeBodies],
  ['Express 5', app5, 'text', '', describeBodies],
  ['Express 4', app4, undefined, '/api/v1', describeBodies],
  ['Express 4', app4, 'json', '', describeMount],
] as const;

for (const [name, app, parser, prefix, describeIt] of mounts) {
  describeIt({
    name: parser === undefined ? name : `${name} with express.${parser}() before it`,
    prefix,
    parsesBodies: parser !== undefined,
    ownsConnection: true,
    start: (handler) => listening(app(handler, prefix, parser)),
  });
}
