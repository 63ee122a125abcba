import { nodeListener } from '../../adapters/node/index.js';
import { describeHttp, describeMount } from '../http/describe-http.js';
import { listening } from '../http/serve.js';

for (const [prefix, describeIt] of [
  ['', describeHttp],
  ['/api/v1', describeMount],
] as const) {
  describeIt({
    name: 'node:http',
    prefix,
    parsesBodies: false,
    ownsConnection: true,
    start: (handler) => listening(nodeListener(handler, { prefix })),
  });
}
