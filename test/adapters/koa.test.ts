import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';
import mount from 'koa-mount';
import Koa2 from 'koa2';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { describeAdapter, describeBodies, describeMount } from '../http/describe-http.js';
import { listening } from '../http/serve.js';

const mounts = [
  { name: 'Koa 3', framework: Koa, parses: false, prefix: '', describeIt: describeMount },
  { name: 'Koa 3', framework: Koa, parses: true, prefix: '/api', describeIt: describeAdapter },
  { name: 'Koa 2', framework: Koa2, parses: false, prefix: '/api/v1', describeIt: describeBodies },
  { name: 'Koa 2', framework: Koa2, parses: true, prefix: '', describeIt: describeMount },
] as const;

for (const { name, framework: Framework, parses, prefix, describeIt } of mounts) {
  describeIt({
    name: `${name} with ${parses ? '@koa/bodyparser' : 'nothing'} before it`,
    prefix,
    parsesBodies: parses,
    ownsConnection: true,
    start: (handler) => {
      const app = new Framework();
      app.silent = true;
      if (parses) app.use(bodyParser({ jsonLimit: '1mb' }));
      app.use(prefix === '' ? koaMiddleware(handler) : mount(prefix, koaMiddleware(handler)));
      return listening(app.callback());
    },
  });
}
