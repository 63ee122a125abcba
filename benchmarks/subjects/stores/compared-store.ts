import type { SessionStore } from '../../colloquy.js';

/** A history entry as somebody keeps it by hand. */
export interface Entry {
  readonly role: string;
  readonly content: string;
  readonly timestamp: string;
}

/** A session as the wire has it. */
export interface WireSession {
  readonly id: string;
  readonly status: string;
  readonly options: Readonly<Record<'face' | 'profile' | 'context' | 'behavior', string>> & {
    readonly time_limit: number;
  };
  readonly history: readonly Entry[];
  readonly created_at: string;
  readonly duration: number;
}

/**
 * Where a page begins: behind so many sessions, or after this one. The page has the ten next older
 * sessions.
 */
export type Start = { readonly skip: number } | { readonly createdMs: number; readonly id: string };

/** What a good engineer writes on the same database who needs only this list and these writes. */
export interface ByHand {
  /** Adds sessions of a tenant, oldest first. */
  add(tenant: string, sessions: readonly WireSession[]): Promise<void>;
  page(tenant: string, start: Start, isLight: boolean): Promise<readonly WireSession[]>;
  get(tenant: string, id: string): Promise<WireSession>;
  create(tenant: string, session: WireSession): Promise<unknown>;
  append(tenant: string, id: string, position: number, entry: Entry): Promise<unknown>;
}

/** A tenant that `copy` fills. */
export interface Copying {
  readonly tenant: string;
  /** Number of sessions to reach, a multiple of `TEMPLATES`. */
  readonly count: number;
}

/** An empty database of its own, with the store and its rival by hand on it. */
export interface OpenStore {
  /** How an HTTP server in another process opens it; undefined if it cannot. */
  readonly address: string | undefined;
  /**
   * The version of the database, and what survives of acknowledged writes if it always waits for
   * the disk.
   */
  readonly durability: string;
  /** The store on the database; with events or without. */
  open(events: boolean): SessionStore;
  readonly byHand: ByHand;
  /** The process of its server, if it has one of its own. */
  readonly serverPid?: number | undefined;
  /**
   * Copies the first `TEMPLATES` sessions of a tenant, in the store and by hand, until there are
   * `count`: with ids and times of their own, as `idOf` and `createdMsOf` give them. The database
   * does it, which takes a tenth of the time of the service.
   */
  copy(copying: Copying): Promise<void>;
  close(): Promise<unknown>;
}

/**
 * When the database waits for the disk: before it acknowledges a write, soon after it, or never.
 * Later is what others publish: a crash of the machine may lose the last acknowledged writes.
 */
export type Sync = 'always' | 'later' | 'never';

export interface Opening {
  /** Reads do not depend on it. */
  readonly sync: Sync;
  /** The database that another process has opened. Default: a new one. */
  readonly address?: string | undefined;
}

/** A store in the comparison. */
export interface ComparedStore {
  readonly name: string;
  open(opening: Opening): Promise<OpenStore>;
}

/**
 * The number of sessions of a tenant that are written through the service; the others are copies of
 * them. A quick run, whose processes all have this variable, writes fewer.
 */
export const TEMPLATES = Number(process.env['BENCHMARK_TEMPLATES'] ?? 1000);

const FIRST_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;

/** Milliseconds from a template to its copy. */
export const SHIFT_MS = TEMPLATES * STEP_MS;

/** The id of a tenant's session by its number from 0: as long as those of the service. */
export const idOf = (number: number): string => `s${String(number).padStart(20, '0')}`;

export const createdMsOf = (number: number): number => FIRST_MS + number * STEP_MS;

export const sessionOfRow = (
  row: Readonly<Record<string, unknown>>,
  history: readonly Entry[],
): WireSession => ({
  id: String(row['id']),
  status: String(row['status']),
  options: {
    face: String(row['face']),
    profile: String(row['profile']),
    context: String(row['context']),
    behavior: String(row['behavior']),
    time_limit: Number(row['time_limit']),
  },
  history,
  created_at: new Date(Number(row['created_ms'])).toISOString(),
  duration: Number(row['duration']),
});
