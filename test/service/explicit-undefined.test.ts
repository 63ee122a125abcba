import { expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import { SessionClient } from '../../src/client/index.js';
import { createSessionHandler, eventRoutes, staticApiKeys } from '../../src/http/index.js';
import {
  createSweeper,
  createWorker,
  defaultLimits,
  type Optional,
  type SessionLimits,
  SessionService,
} from '../../src/index.js';
import { openApiDocument } from '../../src/openapi/index.js';
import { openTelemetry } from '../../src/telemetry/index.js';

/** All members of a type, as undefined. */
type Absent<T> = { readonly [Name in keyof T]-?: undefined };

const noLimits: Absent<SessionLimits> = {
  timeLimit: undefined,
  textBytes: undefined,
  contentBytes: undefined,
  metadataBytes: undefined,
  entriesPerAppend: undefined,
  inboxMessages: undefined,
  historyEntries: undefined,
  activeSessions: undefined,
  counters: undefined,
  pageBytes: undefined,
  forkBytes: undefined,
};

const openSessions = (limits?: Optional<SessionLimits>) =>
  new SessionService({
    store: new MemorySessionStore({ events: undefined, reportEnds: undefined }),
    clock: undefined,
    ids: undefined,
    tenant: undefined,
    idleTimeout: undefined,
    inactivityTimeout: undefined,
    gracePeriod: undefined,
    retention: undefined,
    limits,
    faces: undefined,
    profiles: undefined,
    observers: undefined,
  });

const openHandler = () =>
  createSessionHandler({
    sessions: openSessions(),
    authenticate: staticApiKeys([{ key: 'key-1', sha256: undefined, tenant: 'acme' }]),
    routes: undefined,
    labels: undefined,
    metadata: undefined,
    sessionTimes: undefined,
    origin: undefined,
    entryData: undefined,
    maxBodyBytes: undefined,
    maxPendingBytes: undefined,
    timeoutMs: undefined,
    signal: undefined,
    onError: undefined,
    onDenied: undefined,
    logger: undefined,
  });

test('a service uses the default of each limit that is undefined', () => {
  expect(openSessions(noLimits).policy.limits).toEqual(defaultLimits);
  expect(openSessions().policy.limits).toEqual(defaultLimits);
});

const silent = { interval: undefined, onError: undefined };

test.each<[string, () => unknown]>([
  ['createSessionHandler', openHandler],
  ['fetchHandler', () => fetchHandler(openHandler(), { prefix: undefined, basePath: undefined })],
  ['nodeListener', () => nodeListener(openHandler(), { prefix: undefined, fallback: undefined })],
  [
    'eventRoutes',
    () =>
      eventRoutes({
        heartbeatMs: undefined,
        maxStreams: undefined,
        maxStreamsPerTenant: undefined,
      }),
  ],
  [
    'createWorker',
    () =>
      createWorker(openSessions(), {
        run: () => undefined,
        concurrency: undefined,
        seconds: undefined,
        attempts: undefined,
        holder: undefined,
        allTenants: undefined,
        ...silent,
      }),
  ],
  [
    'createSweeper',
    () => createSweeper(openSessions(), { batch: undefined, onEnded: undefined, ...silent }),
  ],
  [
    'SessionClient',
    () =>
      new SessionClient({
        baseUrl: 'http://localhost',
        apiKey: undefined,
        fetch: undefined,
        timeoutMs: undefined,
        attemptTimeoutMs: undefined,
        retries: undefined,
        silenceMs: undefined,
        maxResponseBytes: undefined,
        headers: undefined,
        timing: undefined,
      }),
  ],
  [
    'openTelemetry',
    () =>
      openTelemetry({
        tracerProvider: undefined,
        meterProvider: undefined,
        tenant: undefined,
        clock: undefined,
      }),
  ],
  [
    'openApiDocument',
    () =>
      openApiDocument({
        routes: undefined,
        sessions: undefined,
        maxBodyBytes: undefined,
        prefix: undefined,
        servers: undefined,
        title: undefined,
        version: undefined,
      }),
  ],
])('%s accepts undefined for each option', (_, make) => {
  expect(make).not.toThrow();
});

test('each operation treats undefined in its input and options as absent', async () => {
  const sessions = openSessions().orThrow;
  const none = { operationId: undefined, fencingToken: undefined };
  const { id } = await sessions.create({
    id: undefined,
    face: 'ada',
    profile: 'tutor',
    behavior: undefined,
    context: undefined,
    timeLimit: undefined,
    labels: undefined,
    metadata: undefined,
    start: true,
    wake: undefined,
    entries: undefined,
    from: undefined,
    idempotencyKey: undefined,
    historyLimit: undefined,
  });
  const entry = {
    ...{ timestamp: undefined, id: undefined, data: undefined },
    ...{ position: undefined, turn: undefined, message: undefined },
  };
  await sessions.append(id, [{ role: 'user', content: 'Hello', ...entry }], {
    ifPosition: undefined,
    ...none,
  });
  await sessions.update(
    id,
    { labels: { a: 'b' }, metadata: undefined },
    {
      ifRevision: undefined,
      ...none,
    },
  );
  const all = { limit: undefined, order: undefined, status: undefined, labels: undefined };
  const times = { createdAfter: undefined, createdBefore: undefined };
  const page = { page: undefined, cursor: undefined, historyLimit: undefined };
  const listed = await sessions.list(
    { ...all, ...times, ...page },
    { withWatchCursor: undefined, maxBytes: undefined },
  );
  expect(listed.sessions).toHaveLength(1);
  expect((await sessions.list({ cursor: listed.nextCursor })).sessions).toHaveLength(1);
  for (const part of [
    { last: undefined, after: undefined, before: undefined, limit: undefined },
    { after: 0, limit: undefined, before: undefined, last: undefined },
    { before: 1, limit: undefined, after: undefined, last: undefined },
  ])
    expect((await sessions.history(id, part)).entries).toHaveLength(1);
  await sessions.wake(id, { at: undefined });
  const { claimed } = await sessions.claim({
    holder: 'w',
    seconds: 9,
    limit: undefined,
    historyLimit: undefined,
    attempts: undefined,
  });
  const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
  await sessions.release(id, { fencingToken, done: undefined });
  await sessions.cancel(id, { reason: undefined });
  await sessions.rewind(id, {
    to: 0,
    ifPosition: 1,
    entries: undefined,
    wake: undefined,
    ...none,
  });
  await sessions.terminate(id, none);
  expect(
    (await sessions.get(id, { historyLimit: undefined, maxBytes: undefined })).history,
  ).toEqual([]);
});
