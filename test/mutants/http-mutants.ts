import type { Mutant } from './mutant.js';

export const httpMutants: readonly Mutant[] = [
  {
    bug: 'any API key opens the first tenant',
    file: 'src/http/static-api-keys.ts',
    from: 'if (areEqual(candidate.digest, digest)) tenant = candidate.tenant;',
    to: 'tenant ??= candidate.tenant;',
    tests: ['test/http'],
  },
  {
    bug: 'the next page of the last one is offered',
    file: 'src/http/page-headers.ts',
    from: 'next: page < last && `page=${page + 1}`',
    to: 'next: page <= last && `page=${page + 1}`',
    tests: ['test/http'],
  },
  {
    bug: 'links to other pages forget the filters',
    file: 'src/http/page-headers.ts',
    from: 'const repeated = filtersOf(query);',
    to: "const repeated = '';",
    tests: ['test/http', 'test/adapters/node.test.ts'],
  },
  {
    bug: 'a client gives up at a proxy that is busy',
    file: 'src/client/exchange.ts',
    from: 'new Set([429, 502, 503, 504])',
    to: 'new Set([429])',
    tests: ['test/client'],
  },
  {
    bug: 'the client sends an unknown name as that of a field',
    file: 'src/client/sent-name.ts',
    from: '/[A-Z_]/g',
    to: '/[A-Z]/g',
    tests: ['test/client/options.test.ts'],
  },
  {
    bug: 'strict handling ignores unknown fields of entries',
    file: 'src/http/body-reader.ts',
    from: 'checkKnown(issues, value,',
    to: 'checkKnown(issues, {},',
    tests: ['test/adapters/node.test.ts'],
  },
];
