/** What each subpath of the package must export, at least. */
export const contract = {
  '.': [
    'SessionService',
    'transitions',
    'transition',
    'sessionAt',
    'unwrap',
    'SessionFailure',
    'httpStatusOf',
    'ok',
    'err',
  ],
  './memory': ['MemorySessionStore'],
  './redis': ['RedisSessionStore'],
  './sqlite': ['SqliteSessionStore'],
  './postgres': ['PostgresSessionStore'],
  './http': [
    'createSessionHandler',
    'staticApiKeys',
    'commandRoutes',
    'historyRoutes',
    'eventRoutes',
    'answerOf',
  ],
  './client': ['SessionClient'],
  './node': ['nodeListener'],
  './express': ['expressMiddleware'],
  './koa': ['koaMiddleware'],
  './fetch': ['fetchHandler'],
  './testing': ['describeSessionStore', 'joinRace', 'raceProcesses'],
  './openai-agents': ['EngineSession', 'TurnSession'],
  './claude-agent': ['TranscriptStore'],
  './ai-sdk': ['loadMessages', 'saveMessages'],
  './simulation': ['simulate'],
  './openapi': ['openApiDocument', 'openApiRoute'],
  './inspector': ['inspectorRoutes', 'apiKeyAsPassword'],
  './telemetry': ['openTelemetry'],
  './inversify': [
    'TYPES',
    'coreModule',
    'memoryModule',
    'redisModule',
    'sqliteModule',
    'postgresModule',
    'handlerModule',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The subpaths that load a peer of the host's. */
export const needPeers = [
  './inversify',
  './telemetry',
] as const satisfies readonly (keyof typeof contract)[];
