import { err, ok, type Result } from 'neverthrow';
import { optionsOf, readArgument } from '../../src/schema/options-of.js';
import { optional } from '../../src/schema/schema.js';
import { anyText, name } from '../../src/schema/values.js';
import type { CreateSessionInput } from '../../src/service/create-session.js';
import { unwrap } from '../../src/service/unwrap.js';
import {
  defaultLimits,
  HISTORY_LIMIT,
  MAX_LEASE_SECONDS,
  MAX_RACES,
  NAME_LENGTH,
} from '../../src/session/limits.js';
import type { PositionedEntry, SessionLabels } from '../../src/session/session.js';
import { ATTEMPTS, appendOnce, type ConversationError, someSessions } from '../sdk/append-once.js';
import { inCallersWords } from '../sdk/in-callers-words.js';
import {
  entryOf,
  givenLines,
  keyOf,
  linesOf,
  nameOf,
  newOf,
  type TranscriptEntry,
  type TranscriptKey,
  textOf,
} from './transcript-entry.js';
import type { FoundTranscript, TranscriptSessions } from './transcript-sessions.js';

interface Known {
  readonly id: string;
  /**
   * The fencing token of the lease that identifies the session: a later session with the same id
   * has a different one.
   */
  readonly fencingToken: number;
  /** The end of the history. */
  readonly position: number;
  readonly uuids: Set<unknown>;
}

interface Part {
  readonly lines: readonly TranscriptEntry[];
  readonly given: readonly TranscriptEntry[];
}

/** Options of a `TranscriptStore`, for the sessions that it creates. */
export interface TranscriptStoreOptions {
  /** The face, 1–256 characters. Default: `claude`. */
  readonly face?: string | undefined;
  /**
   * The profile, 1–256 characters. Default: the `projectKey`, or its digest if it is longer than
   * 256 characters or not plain ASCII.
   */
  readonly profile?: string | undefined;
}

const read = optionsOf('TranscriptStore', {
  face: optional(name(NAME_LENGTH), 'claude'),
  profile: optional(name(NAME_LENGTH)),
} satisfies Readonly<Record<keyof TranscriptStoreOptions, unknown>>);

// Names with a prefix, so that they do not collide with labels of the host.
const [TRANSCRIPT, PROJECT, PARENT] = ['claude.transcript', 'claude.project', 'claude.parent'];
const LEASE = { holder: 'colloquy/claude-agent', seconds: MAX_LEASE_SECONDS } as const;
const MAX_KNOWN = 100;

const unlessGone = <T>(result: Result<T, ConversationError>): T | undefined => {
  if (result.isErr() && ['not_found', 'invalid_input'].includes(result.error.type))
    return undefined;
  return unwrap(result);
};

/**
 * Names the `added` lines by their places among the `given` lines. The data of an entry are a line,
 * and the content is text of its message.
 */
const inLines =
  (given: readonly TranscriptEntry[], added: readonly TranscriptEntry[]) =>
  (error: ConversationError): ConversationError =>
    inCallersWords(error, 'entries', (index, field) => {
      const refused = added[index];
      const line = `entries[${refused === undefined ? -1 : given.indexOf(refused)}]`;
      return field === 'content' ? `${line}.message` : line;
    });

const mainOf = ({ projectKey, sessionId }: TranscriptKey): string =>
  textOf({ projectKey, sessionId });

/**
 * The `SessionStore` of the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`): each transcript is
 * a session of the engine, and each line is the `data` of an entry. As the SDK expects, the methods
 * reject: with a `SessionFailure`, whose `error` is that of the engine. Any number of processes may
 * use one transcript.
 */
export class TranscriptStore {
  readonly #sessions: TranscriptSessions;
  readonly #options: ReturnType<typeof read>;
  /** The transcripts that were used last, the latest at the end. */
  readonly #known = new Map<string, Known>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /**
   * `sessions` is a `SessionService` or a `SessionClient`, whose sessions must not end by
   * themselves. Throws a `TypeError` that names every invalid or unknown option.
   */
  constructor(sessions: TranscriptSessions, options: TranscriptStoreOptions = {}) {
    readArgument('TranscriptStore', 'sessions', someSessions, sessions);
    this.#sessions = sessions;
    this.#options = read(options);
  }

  /**
   * Appends lines, in the order of the calls, except those whose `uuid` is already in the
   * transcript. Each part of up to `limits.entriesPerAppend` lines is stored completely or not at
   * all. Rejects with `invalid_input` for a line above `limits.contentBytes`, and with
   * `invalid_transition` if the session has ended.
   */
  async append(key: TranscriptKey, entries: readonly TranscriptEntry[]): Promise<void> {
    const lines = [...readArgument('TranscriptStore', 'entries', givenLines, entries)];
    const { entriesPerAppend: most } = this.#sessions.policy?.limits ?? defaultLimits;
    await this.#inTurn(key, async () => {
      const name = await nameOf(textOf(key));
      for (let at = 0; at < lines.length; at += most)
        await this.#append(key, name, { lines: lines.slice(at, at + most), given: lines });
    });
  }

  /** All lines of a transcript; `null` if there are none. Writes nothing. */
  async load(key: TranscriptKey): Promise<TranscriptEntry[] | null> {
    const [found] = await this.#list({ [TRANSCRIPT]: await nameOf(textOf(key)) });
    if (found === undefined) return null;
    const read = await this.#read(found.id, 0);
    // Another process has deleted the transcript, and may have created it again.
    if (read === undefined) return this.load(key);
    return linesOf(read.entries);
  }

  /**
   * The main transcripts of a project, each with the time of its last change in milliseconds since
   * the epoch.
   */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const project = readArgument('TranscriptStore', 'projectKey', anyText, projectKey);
    const sessions = await this.#list({ [PROJECT]: await nameOf(project) });
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

  /**
   * Deletes a transcript. A main transcript is deleted with the transcripts of its subagents.
   * Succeeds even if there is none.
   */
  async delete(key: TranscriptKey): Promise<void> {
    await this.#inTurn(key, async () => {
      const name = await nameOf(textOf(key));
      const parts = key.subpath === undefined ? await this.#list({ [PARENT]: name }) : [];
      // The main transcript is deleted last, so that a failed delete can be repeated.
      for (const { id } of [...parts, ...(await this.#list({ [TRANSCRIPT]: name }))])
        await unwrap(this.#sessions.delete(id));
    });
  }

  async #append(key: TranscriptKey, name: string, { lines, given }: Part): Promise<void> {
    let known = this.#known.get(name);
    // Cached again once these lines are appended.
    this.#known.delete(name);
    for (let tries = 1; tries <= MAX_RACES; tries += 1) {
      known ??= await this.#learn(name);
      if (known === undefined) {
        const added = newOf(lines, new Set());
        const created = await this.#create(key, name, added);
        if (unwrap(created.mapErr(inLines(given, added)))) return;
        continue;
      }
      const added = newOf(lines, known.uuids);
      const appended = await this.#appendTo(known, added);
      if (appended.isOk()) {
        for (const { uuid } of added) known.uuids.add(uuid);
        this.#remember(name, { ...known, position: appended.value.position });
        return;
      }
      const { type } = appended.error;
      if (type === 'history_moved') known = await this.#catchUp(known);
      else if (type === 'lease_lost' || type === 'not_found') known = undefined;
      else unwrap(appended.mapErr(inLines(given, added)));
    }
    throw new Error('other processes kept changing the transcript');
  }

  async #appendTo(
    { id, fencingToken, position }: Known,
    lines: readonly TranscriptEntry[],
  ): Promise<Result<{ readonly position: number }, ConversationError>> {
    const options = { ifPosition: position, fencingToken };
    if (lines.length > 0) return appendOnce(this.#sessions, id, lines.map(entryOf), options);
    // The cached session may have been deleted since.
    const renewed = await this.#sessions.renew(id, { fencingToken, seconds: LEASE.seconds });
    return renewed.map(() => ({ position }));
  }

  #remember(name: string, known: Known): void {
    this.#known.set(name, known);
    const [oldest = name] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
  }

  /** Creates a transcript with these lines. Returns false if it exists already. */
  async #create(
    key: TranscriptKey,
    name: string,
    lines: readonly TranscriptEntry[],
  ): Promise<Result<boolean, ConversationError>> {
    const { projectKey, subpath } = key;
    const project = await nameOf(projectKey);
    const input: CreateSessionInput = {
      face: this.#options.face,
      profile: this.#options.profile ?? project,
      context: textOf(key),
      labels: {
        [TRANSCRIPT]: name,
        ...(subpath === undefined && { [PROJECT]: project }),
        ...(subpath !== undefined && { [PARENT]: await nameOf(mainOf(key)) }),
      },
      entries: lines.map(entryOf),
      start: true,
      idempotencyKey: name,
    };
    for (let attempt = 1; ; attempt += 1) {
      const created = await this.#sessions.create(input);
      if (created.isOk()) return ok(attempt > 1 || created.value.repeated === undefined);
      const { type } = created.error;
      if (type === 'idempotency_mismatch') return ok(false);
      if (type !== 'store_unavailable' || attempt === ATTEMPTS) return err(created.error);
    }
  }

  async #learn(name: string): Promise<Known | undefined> {
    const [found] = await this.#list({ [TRANSCRIPT]: name });
    if (found === undefined) return undefined;
    const { id, lease } = found;
    const isOwn = lease?.holder === LEASE.holder;
    const held = isOwn ? lease : unlessGone(await this.#sessions.lease(id, LEASE));
    if (held === undefined) return undefined;
    const { fencingToken } = held;
    return this.#catchUp({ id, fencingToken, position: 0, uuids: new Set() });
  }

  async #catchUp(known: Known): Promise<Known | undefined> {
    const read = await this.#read(known.id, known.position);
    for (const { uuid } of linesOf(read?.entries ?? [])) known.uuids.add(uuid);
    return read && { ...known, position: read.position };
  }

  /**
   * The entries after a position, and the end; undefined if the session was deleted, or has been
   * replaced by one without this position.
   */
  async #read(id: string, after: number) {
    const parts: PositionedEntry[][] = [];
    for (let position = after; ; ) {
      const part = unlessGone(
        await this.#sessions.history(id, { after: position, limit: HISTORY_LIMIT }),
      );
      if (part === undefined) return undefined;
      parts.push([...part.entries]);
      position = part.position;
      if (!part.hasMore) return { entries: parts.flat(), position };
    }
  }

  async #list(labels: SessionLabels): Promise<FoundTranscript[]> {
    const found: FoundTranscript[] = [];
    for await (const each of this.#sessions.each({ labels, historyLimit: 0 }))
      found.push(unwrap(each));
    return found;
  }

  /** Runs changes of the transcripts of one session in the order of the calls. */
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
