import type { Mutant } from './mutant.js';

export const mountMutants: readonly Mutant[] = [
  {
    bug: 'Express reads a body of any size',
    file: 'src/session/read-stream.ts',
    from: 'if (end > this.#most) return false;',
    to: 'if (end > Number.POSITIVE_INFINITY) return false;',
    tests: ['test/adapters/node-body.test.ts', 'test/adapters/node.test.ts'],
  },
  {
    bug: 'pipelined requests are worked on concurrently',
    file: 'adapters/node/in-turn.ts',
    from: 'if (isBehindAnother(req, res)) wait(req, res, start, lost);',
    to: 'if (isGone(req)) wait(req, res, start, lost);',
    tests: ['test/adapters/pipelines.test.ts'],
  },
  {
    bug: 'Koa answers a path that is not its own',
    file: 'adapters/koa/index.ts',
    from: 'await next();',
    to: '',
    tests: ['test/adapters/koa-host.test.ts', 'test/adapters/koa.test.ts'],
  },
  {
    bug: 'the Location after a Fetch mount lacks the base path',
    file: 'adapters/fetch/index.ts',
    from: 'shownPrefix = tidyPrefix(given.basePath) + prefix',
    to: 'shownPrefix = prefix',
    tests: ['test/adapters/fetch-urls.test.ts'],
  },
];
