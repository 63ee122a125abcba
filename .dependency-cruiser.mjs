/**
 * The places that put the parts together: the container modules, the simulation and the command
 * line.
 */
const compositionRoots = '^src/(inversify|cli|simulation)/';

/**
 * The layers of the core, the lowest first: pure decisions, the port, reading of input, watches,
 * the service, the wire.
 */
const layers = ['session', 'store', 'input', 'events', 'service', 'endpoints', 'http'];

/** What the library may load from npm: its own two dependencies. Hosts bring everything else. */
const ownDependencies = 'node_modules/(neverthrow|nanoid)/';

const npm = [
  'npm',
  'npm-dev',
  'npm-peer',
  'npm-optional',
  'npm-no-pkg',
  'npm-unknown',
  'npm-bundled',
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Types count too: a cycle of types is two concepts that should have been one, or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment:
        'Every import leads to a file or to an installed package. Node 20 has no node:sqlite.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^node:sqlite$' },
    },
    ...layers.flatMap((layer, at) => {
      const higher = layers.slice(at + 1).join('|');
      if (higher === '') return [];
      return {
        name: `${layer}-looks-down`,
        comment: `Each layer knows those below it: ${layers.join(' < ')}. Types count too.`,
        severity: 'error',
        from: { path: `^src/${layer}/` },
        to: { path: `^src/(${higher})/` },
      };
    }),
    {
      name: 'src-knows-no-adapter',
      comment: 'A store or a mount is chosen by the host, or by a composition root.',
      severity: 'error',
      from: { path: '^src/', pathNot: compositionRoots },
      to: { path: '^adapters/' },
    },
    {
      name: 'src-loads-its-own-dependencies-only',
      comment:
        'No container, no Redis client, no framework: the core must work where none of them is installed.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(client|telemetry)/', compositionRoots] },
      to: { dependencyTypes: npm, pathNot: ownDependencies },
    },
    {
      name: 'telemetry-loads-the-api-of-opentelemetry-only',
      comment: 'Which SDK stands behind it the host chooses. Nobody else loads any of it.',
      severity: 'error',
      from: { path: '^src/(telemetry)/' },
      to: { dependencyTypes: npm, pathNot: [ownDependencies, 'node_modules/@opentelemetry/api/'] },
    },
    {
      name: 'observers-build-on-the-core-only',
      severity: 'error',
      from: { path: '^src/(telemetry)/' },
      to: {
        path: '^src/(http|client|inspector|openapi|inversify|telemetry|testing|cli)/',
        pathNot: '^src/$1/',
      },
    },
    {
      name: 'client-parses-events-too',
      comment: 'It alone loads the parser of Server-Sent Events.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { dependencyTypes: npm, pathNot: 'node_modules/(neverthrow|nanoid|eventsource-parser)/' },
    },
    {
      name: 'client-builds-on-the-core-only',
      comment:
        'Of HTTP it takes types: what is on the wire is the same on both sides, and the server is not in its bundle.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: {
        path: '^(adapters|src/(http|openapi|telemetry|inspector|inversify|testing|cli))/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'src-runs-anywhere',
      comment:
        'The core uses what every JavaScript runtime has; Node is for the adapters that need it. sha256 looks whether it is there.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/session/sha256[.]ts$', compositionRoots] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'endpoints-hold-no-server',
      comment:
        'The client is made from them too: they take the core, and of the service its types.',
      severity: 'error',
      from: { path: '^src/endpoints/' },
      to: {
        path: '^src/(http|client|service|inspector|openapi|inversify|telemetry|testing|cli)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'core-stands-below-the-rest',
      comment:
        'HTTP, the container modules, the contract kit and the command line build on the core, never under it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(http|client|endpoints|inspector|openapi|inversify|telemetry|testing|cli)/',
      },
      to: {
        path: '^src/(http|client|endpoints|inspector|openapi|inversify|telemetry|testing|cli)/',
      },
    },
    {
      name: 'http-and-testing-build-on-the-core-only',
      severity: 'error',
      from: { path: '^src/(http|testing)/' },
      to: {
        path: '^src/(http|client|inspector|openapi|inversify|telemetry|testing|cli)/',
        pathNot: '^src/$1/',
      },
    },
    {
      name: 'openapi-builds-on-http',
      comment: 'It describes what the handler serves; the handler does not know what describes it.',
      severity: 'error',
      from: { path: '^src/openapi/' },
      to: { path: '^src/(client|inspector|inversify|testing|cli)/' },
    },
    {
      name: 'inspector-builds-on-http',
      comment: 'It serves the operations of the HTTP interface under an authenticator of its own.',
      severity: 'error',
      from: { path: '^src/inspector/' },
      to: { path: '^src/(client|inversify|testing|cli)/' },
    },
    {
      name: 'nobody-imports-the-command-line',
      comment: 'Except the replay, which opens stores by the same options and is not shipped.',
      severity: 'error',
      from: { pathNot: ['^(src/cli|benchmarks/replay|test)/'] },
      to: { path: '^src/cli/' },
    },
    {
      name: 'adapters-stand-alone',
      comment:
        'An adapter imports src and its own folder, so that a host loads only what it mounts. Stores share adapters/lanes, those on databases adapters/stored, those on SQL adapters/sql, sessions of SDKs adapters/sdk.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/(express|koa)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1|lanes|stored|sql|sdk)/' },
    },
    {
      name: 'node-frameworks-share-the-node-mount',
      comment:
        'Express and Koa hand over requests of node:http, which the Node mount already knows how to read.',
      severity: 'error',
      from: { path: '^adapters/(express|koa)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1|node)/' },
    },
    {
      name: 'adapters-build-on-core-and-http',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^src/(client|inspector|openapi|inversify|testing|cli)/' },
    },
    {
      name: 'adapters-declare-what-they-need',
      comment:
        'What an adapter needs of a client or a framework it declares as a small type of its own.',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { dependencyTypes: npm, pathNot: ownDependencies },
    },
    {
      name: 'memory-sqlite-and-fetch-run-anywhere',
      comment: 'The other adapters serve clients and frameworks that are of Node themselves.',
      severity: 'error',
      from: { path: '^adapters/(memory|sqlite|fetch)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'examples-import-what-users-import',
      comment: 'By the public names of the package, so that an example can be copied as it is.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(src|adapters|test|benchmarks)/', dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'shipped-code-stands-on-shipped-code',
      comment: 'Tests, benchmarks and build settings are not in the package.',
      severity: 'error',
      from: { path: '^(src|adapters)/' },
      to: {
        pathNot: ['^(src|adapters)/', 'node_modules/', '^node:'],
        dependencyTypesNot: ['core'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: '(^|/)[.]build/|^(dist|coverage|test/package/consumer|benchmarks/(peers|schemas))/',
    },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'require', 'node', 'default'],
    },
  },
};
