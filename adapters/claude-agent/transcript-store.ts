import type { Result } from 'neverthrow';
import type { CreateSessionInput } from '../../src/service/create-session.js';
import { unwrap } from '../../src/service/unwrap.js';
import type { PositionedEntry, SessionLabels } from '../../src/session/session.js';
import { defaultLimits, HISTORY_LIMIT, MAX_LEASE_SECONDS } from '../../src/session/session-limits.js';
import { ATTEMPTS, appendOnce, type ConversationError } from '../sdk/append-once.js';
import {
  entryOf,
  keyOf,
  linesOf,
  nameOf,
  newOf,
  type TranscriptEntry,
  type TranscriptKey,
  textOf,
} from './transcript-entry.js';
import type { FoundTranscript, TranscriptSessions } from './transcript-sessions.js';

/** What is known of a transcript. */
interface Known {
  readonly id: string;
  /** Of the lease that marks the session: one that was created in its place, under its id, has another. */
  readonly fencingToken: number;
  /** The end of the history. */
  readonly position: number;
  readonly uuids: Set<unknown>;
}

/** Options of a `TranscriptStore`, for the sessions that it creates. */
export interface TranscriptStoreOptions {
  /** The face, 1 to 256 characters. Default: `claude`. */
  readonly face?: string;
  /** The profile, 1 to 256 characters. Default: the `projectKey`, or a digest of one that is longer or not plain ASCII. */
  readonly profile?: string;
}

// Names that no host has for labels of its own.
const [TRANSCRIPT, PROJECT, PARENT] = ['claude.transcript', 'claude.project', 'claude.parent'];
const LEASE = { holder: 'colloquy/claude-agent', seconds: MAX_LEASE_SECONDS } as const;
/** Maximum number of transcripts that are known. */
const MAX_KNOWN = 100;
/** Maximum number of tries of one append: each but the last found that another process had changed the transcript. */
const MAX_TRIES = 100;

const unlessGone = <T>(result: Result<T, ConversationError>): T | undefined =>
  result.isErr() && ['not_found', 'invalid_input'].includes(result.error.type) ? undefined : unwrap(result);

const mainOf = ({ projectKey, sessionId }: TranscriptKey): string => textOf({ projectKey, sessionId });

/**
 * The `SessionStore` of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`): each transcript is a session of the engine,
 * each line the `data` of an entry. As the SDK expects, the methods reject: with an `UnwrapError`, whose `cause` is the error of
 * the engine. Any number of processes may use one transcript.
 */
export class TranscriptStore {
  readonly #sessions: TranscriptSessions;
  readonly #options: TranscriptStoreOptions;
  /** Those that were used last, the latest at the end. */
  readonly #known = new Map<string, Known>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** `sessions` is a `SessionService` or a `SessionClient`, whose sessions must not end by themselves. */
  constructor(sessions: TranscriptSessions, options: TranscriptStoreOptions = {}) {
    this.#sessions = sessions;
    this.#options = options;
  }

  /**
   * Appends lines, in the order of the calls, without those whose `uuid` the transcript has. Each part of
   * `limits.entriesPerAppend` is stored as a whole or not at all; a line above `limits.contentBytes` rejects with
   * `invalid_input`, and one to a session that has ended with `invalid_transition`.
   */
  async append(key: TranscriptKey, entries: readonly TranscriptEntry[]): Promise<void> {
    const lines = [...entries];
    const { entriesPerAppend: most } = this.#sessions.policy?.limits ?? defaultLimits;
    await this.#inTurn(key, async () => {
      const name = await nameOf(textOf(key));
      for (let at = 0; at < lines.length; at += most) await this.#append(key, name, lines.slice(at, at + most));
    });
  }

  /** All lines of a transcript; `null` if there are none. Writes nothing. */
  async load(key: TranscriptKey): Promise<TranscriptEntry[] | null> {
    const [found] = await this.#list({ [TRANSCRIPT]: await nameOf(textOf(key)) });
    if (found === undefined) return null;
    const read = await this.#read(found.id, 0);
    // Another process has deleted it meanwhile, and may have begun it anew.
    if (read === undefined) return this.load(key);
    return linesOf(read.entries);
  }

  /** The main transcripts of a project, each with the time of its last change in milliseconds since the epoch. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const sessions = await this.#list({ [PROJECT]: await nameOf(projectKey) });
    return sessions.map(({ options: { context }, createdAt, updatedAt = createdAt }) => ({
      sessionId: keyOf(context).sessionId,
      mtime: Date.parse(updatedAt),
    }));
  }

  /** The subpaths of the transcripts of subagents. */
  async listSubkeys(key: TranscriptKey): Promise<string[]> {
    const sessions = await this.#list({ [PARENT]: await nameOf(mainOf(key)) });
    return sessions.flatMap(({ options: { context } }) => keyOf(context).subpath ?? []);
  }

  /** Deletes a transcript, with a main one those of its subagents too. Succeeds if there is none. */
  async delete(key: TranscriptKey): Promise<void> {
    await this.#inTurn(key, async () => {
      const name = await nameOf(textOf(key));
      const parts = key.subpath === undefined ? await this.#list({ [PARENT]: name }) : [];
      // The main transcript last: while it is there, a delete that failed can be repeated.
      for (const { id } of [...parts, ...(await this.#list({ [TRANSCRIPT]: name }))])
        await unwrap(this.#sessions.delete(id));
    });
  }

  async #append(key: TranscriptKey, name: string, lines: readonly TranscriptEntry[]): Promise<void> {
    let known = this.#known.get(name);
    // Known again once these lines are appended.
    this.#known.delete(name);
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      known ??= await this.#learn(name);
      if (known === undefined) {
        if (await this.#create(key, name, newOf(lines, new Set()))) return;
        continue;
      }
      const { id, fencingToken, position: ifPosition, uuids } = known;
      const added = newOf(lines, uuids);
      const appended =
        added.length > 0
          ? await appendOnce(this.#sessions, id, added.map(entryOf), { ifPosition, fencingToken })
          : // What is known may be of a session that was deleted since.
            (await this.#sessions.renew(id, { fencingToken, seconds: LEASE.seconds })).map(() => ({
              position: ifPosition,
            }));
      if (appended.isOk()) {
        for (const { uuid } of added) uuids.add(uuid);
        this.#known.set(name, { ...known, position: appended.value.position });
        const [oldest = name] = this.#known.keys();
        if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
        return;
      }
      const { type } = appended.error;
      if (type === 'history_moved') known = await this.#catchUp(known);
      else if (type === 'lease_lost' || type === 'not_found') known = undefined;
      else unwrap(appended);
    }
    throw new Error('other processes kept changing the transcript');
  }

  /** Begins a transcript with these lines; false if there is one. */
  async #create(key: TranscriptKey, name: string, lines: readonly TranscriptEntry[]): Promise<boolean> {
    const { projectKey, subpath } = key;
    const project = await nameOf(projectKey);
    const input: CreateSessionInput = {
      face: 'claude',
      profile: project,
      ...this.#options,
      context: textOf(key),
      labels: {
        [TRANSCRIPT]: name,
        ...(subpath === undefined ? { [PROJECT]: project } : { [PARENT]: await nameOf(mainOf(key)) }),
      },
      entries: lines.map(entryOf),
      start: true,
      idempotencyKey: name,
    };
    for (let attempt = 1; ; attempt += 1) {
      const created = await this.#sessions.create(input);
      if (created.isOk()) return attempt > 1 || created.value.repeated === undefined;
      const { type } = created.error;
      if (type === 'idempotency_mismatch') return false;
      if (type !== 'store_unavailable' || attempt === ATTEMPTS) unwrap(created);
    }
  }

  /** Reads what an append must know of a transcript; undefined if there is none. */
  async #learn(name: string): Promise<Known | undefined> {
    const [found] = await this.#list({ [TRANSCRIPT]: name });
    if (found === undefined) return undefined;
    const { id, lease } = found;
    const held = lease?.holder === LEASE.holder ? lease : unlessGone(await this.#sessions.lease(id, LEASE));
    return held && this.#catchUp({ id, fencingToken: held.fencingToken, position: 0, uuids: new Set() });
  }

  async #catchUp(known: Known): Promise<Known | undefined> {
    const read = await this.#read(known.id, known.position);
    for (const { uuid } of linesOf(read?.entries ?? [])) known.uuids.add(uuid);
    return read && { ...known, position: read.position };
  }

  /** The entries after a position, and the end; undefined if the session is gone, or is not the one with this position. */
  async #read(id: string, after: number) {
    const parts: PositionedEntry[][] = [];
    for (let position = after; ; ) {
      const part = unlessGone(await this.#sessions.history(id, { after: position, limit: HISTORY_LIMIT }));
      if (part === undefined) return undefined;
      parts.push([...part.entries]);
      position = part.position;
      if (!part.hasMore) return { entries: parts.flat(), position };
    }
  }

  async #list(label: SessionLabels): Promise<FoundTranscript[]> {
    const found: FoundTranscript[] = [];
    for await (const each of this.#sessions.each({ label, historyLimit: 0 })) found.push(unwrap(each));
    return found;
  }

  /** Runs what changes the transcripts of one session in the order of the calls. */
  async #inTurn(key: TranscriptKey, change: () => Promise<void>): Promise<void> {
    const name = mainOf(key);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(change);
    const settled = turn.catch(() => {});
    this.#turns.set(name, settled);
    await settled;
    if (this.#turns.get(name) === settled) this.#turns.delete(name);
    return turn;
  }
}
