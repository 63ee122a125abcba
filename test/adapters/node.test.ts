import { nodeListener } from '../../adapters/node/index.js';
import { describeHttp } from '../http/describe-http.js';
import { listening } from '../http/serve.js';

for (const prefix of ['', '/api/v1']) {
  describeHttp({
    name: 'node:http',
    prefix,
    parsesBodies: false,
    ownsConnection: true,
    start: (handler) => listening(nodeListener(handler, { prefix })),
  });
}
