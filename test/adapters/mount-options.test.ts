import { expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { nodeListener } from '../../adapters/node/index.js';

const handler = async () => undefined;

test.each([
  ['nodeListener', nodeListener, { prefx: '/api' }, 'prefx is unknown (did you mean prefix?)'],
  ['nodeListener', nodeListener, { prefix: 5 }, 'prefix must be a string'],
  ['nodeListener', nodeListener, { fallback: '/404' }, 'fallback must be a function'],
  ['nodeListener', nodeListener, '/api', 'options must be an object'],
  ['fetchHandler', fetchHandler, { prefx: '/api' }, 'prefx is unknown (did you mean prefix?)'],
  ['fetchHandler', fetchHandler, { prefix: ['/api'] }, 'prefix must be a string'],
  ['fetchHandler', fetchHandler, null, 'options must be an object'],
])('%s throws a TypeError with wrong options: %#', (name, mount, options, message) => {
  expect(() => Reflect.apply(mount, undefined, [handler, options])).toThrow(
    new TypeError(`${name}: ${message}`),
  );
});
