import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionHandler } from '../../src/http/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
} from '../../src/http/index.js';
import { type Session, SessionService } from '../../src/index.js';
import { apiKeyAsPassword, inspectorRoutes } from '../../src/inspector/index.js';
import { openApiDocument, openApiRoute } from '../../src/openapi/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { Described } from '../openapi/described.js';
import { ManualClock } from '../support/manual-clock.js';
import { changed, TextSessionStore } from '../support/store-doubles.js';
import { type Outgoing, type Reply, send } from './client.js';
import { CountedLog } from './counted-log.js';
import { EventReader } from './event-reader.js';

/** A server that has been started for one suite. */
export interface RunningServer {
  /** For example `http://127.0.0.1:40123`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** A mount, as the suite starts it. */
export interface Mount {
  readonly name: string;
  /** Where it puts the operations, for example `/api`; empty for the root. */
  readonly prefix: string;
  /** Whether a parser before it reads the bodies, and may answer those that it cannot read. */
  readonly parsesBodies: boolean;
  /** Whether it decides itself how long a connection stays open; with Fetch the runtime does. */
  readonly ownsConnection: boolean;
  start(handler: SessionHandler): Promise<RunningServer>;
}

/** Bytes in a body that the suite's servers accept: the default. */
export const BODY_BYTES = 256 * 1024;

/** Entries in a history that the suite's sessions accept. */
export const HISTORY_ENTRIES = 20;

export const minimal = { face: 'ada', profile: 'tutor' } as const;

/** The API key that belongs to a tenant. */
export const keyOf = (tenant: string): string => `key-of-${tenant}`;

/** One client of a running mount, with sessions of its own. */
export class Client {
  readonly tenant = `tenant-${randomUUID()}`;
  readonly sessions: SessionService;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.sessions = world.sessions.forTenant(this.tenant);
  }

  /** Sends a request with this client's key; `headers` may take that away or replace it. */
  send(path: string, { headers = {}, ...rest }: Outgoing = {}): Promise<Reply> {
    return this.anonymous(path, {
      headers: { 'X-API-KEY': keyOf(this.tenant), ...headers },
      ...rest,
    });
  }

  /** Sends a request without a key. */
  async anonymous(path: string, outgoing: Outgoing = {}): Promise<Reply> {
    const reply = await send(this.#world.origin, this.at(path), outgoing);
    this.#world.compare(path, outgoing, reply);
    return reply;
  }

  /** Sends a create request whose body is this value in JSON. */
  create(body: unknown, headers: Outgoing['headers'] = {}): Promise<Reply> {
    return this.createText(JSON.stringify(body), headers);
  }

  /** Sends a create request with this body. */
  createText(
    body: NonNullable<Outgoing['body']>,
    headers: Outgoing['headers'] = {},
  ): Promise<Reply> {
    return this.send('/create-session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
  }

  /** Sends a command, with a body where one is given, in JSON. */
  command(path: string, headers: Outgoing['headers'] = {}, body?: unknown): Promise<Reply> {
    if (body === undefined) return this.send(path, { method: 'POST', headers });
    const json = { 'Content-Type': 'application/json', ...headers };
    return this.send(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  }

  /** A path including the prefix of the mount. */
  at(path: string): string {
    return this.#world.prefix + path;
  }

  /** Opens the events of a session. */
  watch(id: string, headers: Outgoing['headers'] = {}): Promise<EventReader> {
    const all = { 'X-API-KEY': keyOf(this.tenant), ...headers };
    return EventReader.open(this.#world.origin, this.at(`/session/${id}/events`), all, (frame) =>
      expect(described.frameFault(frame)).toBeUndefined(),
    );
  }

  /** Creates a number of sessions, a second apart, and returns their ids, newest first. */
  async createSeveral(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      this.#world.clock.pass(1000);
      ids.unshift((await this.created()).id);
    }
    return ids;
  }

  async created(): Promise<Session> {
    return (await this.sessions.create(minimal))._unsafeUnwrap();
  }
}

/** What the suite's handlers describe of themselves, which every response is compared with. */
const described = new Described(
  openApiDocument({ routes: [commandRoutes(), historyRoutes(), eventRoutes(), openApiRoute()] }),
);

/**
 * What a suite runs against: a mount, started, over a store that answers later and keeps its
 * histories as text.
 */
export class World {
  readonly clock = new ManualClock();
  readonly store: TextSessionStore;
  /** Of its events. */
  readonly log: CountedLog;
  readonly sessions: SessionService;
  readonly prefix: string;
  readonly parsesBodies: boolean;
  readonly ownsConnection: boolean;
  readonly #mount: Mount;
  #server: RunningServer | undefined;

  /** `inner` keeps the sessions, and has events. */
  constructor(mount: Mount, inner: SessionStore = new MemorySessionStore({ events: true })) {
    this.store = new TextSessionStore(inner);
    this.log = new CountedLog(inner.events);
    this.sessions = new SessionService({
      store: changed(this.store, { events: this.log }),
      clock: this.clock,
      limits: { historyEntries: HISTORY_ENTRIES },
    });
    this.#mount = mount;
    this.prefix = mount.prefix;
    this.parsesBodies = mount.parsesBodies;
    this.ownsConnection = mount.ownsConnection;
  }

  get origin(): string {
    if (this.#server === undefined) throw new Error('the server has not been started');
    return this.#server.origin;
  }

  async start(): Promise<void> {
    const authenticate = (key: string) => /^key-of-([\w-]+)$/.exec(key)?.[1];
    this.#server = await this.#mount.start(
      createSessionHandler({
        sessions: this.sessions,
        authenticate,
        routes: [
          commandRoutes(),
          historyRoutes(),
          eventRoutes(),
          openApiRoute(),
          inspectorRoutes(apiKeyAsPassword(authenticate)),
        ],
      }),
    );
  }

  /** Compares an exchange with the OpenAPI document, unless an earlier parser has answered. */
  compare(path: string, outgoing: Outgoing, reply: Reply): void {
    const isForeign = reply.status >= 400 && reply.headers['cache-control'] !== 'no-store';
    if (isForeign && this.parsesBodies) return;
    expect(
      described.faults(path, outgoing, reply),
      `${outgoing.method ?? 'GET'} ${path.slice(0, 200)}`,
    ).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  client(): Client {
    return new Client(this);
  }
}
