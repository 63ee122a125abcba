import { CliError, messageOf, unwrap } from '../../src/cli/cli-error.js';
import type { SessionService } from '../../src/service/session-service.js';
import { isFields } from '../../src/session/fields.js';
import type { Session } from '../../src/session/session.js';

interface Conversation {
  readonly id: string;
  readonly turns: readonly { readonly role: string; readonly content: string }[];
}

type Items<T> = AsyncIterable<T> | Iterable<T>;

const isTurn = (value: unknown): value is Conversation['turns'][number] =>
  isFields(value) && typeof value['role'] === 'string' && typeof value['content'] === 'string';

const parse = (line: string): Conversation => {
  const value: unknown = JSON.parse(line);
  const { id, turns } = isFields(value) ? value : {};
  if (typeof id === 'string' && Array.isArray(turns) && turns.every(isTurn)) return { id, turns };
  throw new CliError('is not {"id": "...", "turns": [{"role": "...", "content": "..."}, ...]}');
};

/** Processes items as they arrive, at most `width` at the same time. */
export const inParallel = async <T, R>(
  items: Items<T>,
  width: number,
  work: (item: T) => R,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    const done = (async () => void (await work(item)))().finally(() => running.delete(done));
    running.add(done);
    if (running.size >= width) await Promise.race(running);
  }
  await Promise.all(running);
};

/**
 * Replays a conversation in a new session: appends two turns at a time, and pauses and resumes in
 * the middle. Returns the session's id.
 */
const replayConversation = async (
  sessions: SessionService,
  { id: name, turns }: Conversation,
): Promise<string> => {
  const { id } = unwrap(name, await sessions.create({ face: 'replay', profile: 'replay' }));
  unwrap(name, await sessions.start(id));
  const middle = 2 * Math.floor(turns.length / 4);
  for (let at = 0; at < turns.length; at += 2) {
    unwrap(name, await sessions.append(id, turns.slice(at, at + 2)));
    if (at !== middle) continue;
    unwrap(name, await sessions.pause(id));
    unwrap(name, await sessions.resume(id));
  }
  unwrap(name, await sessions.terminate(id));
  return id;
};

/** The first difference between a session and its conversation, if there is one. */
const differenceOf = ({ id, turns }: Conversation, { status, history }: Session): string[] => {
  if (status !== 'TERMINATED') return [`${id}: the status is ${status}, not TERMINATED`];
  if (history.length !== turns.length)
    return [`${id}: there are ${history.length} entries, not ${turns.length}`];
  const at = turns.findIndex(
    ({ role, content }, i) => role !== history[i]?.role || content !== history[i]?.content,
  );
  return at < 0
    ? []
    : [
        `${id}: entry ${at + 1} is ${JSON.stringify(history[at])}, not ${JSON.stringify(turns[at])}`,
      ];
};

/**
 * The conversations that the list of sessions does not contain. It may contain other sessions of
 * the tenant.
 */
const missingFromList = async (
  sessions: SessionService,
  replayed: ReadonlyMap<string, Conversation>,
  since: Date,
) => {
  const missing = new Map(replayed);
  for await (const item of sessions.each({ createdAfter: since })) {
    if (item.isErr()) return [`the list cannot be read: ${item.error.message}`];
    const { id } = item.value;
    if (replayed.has(id) && !missing.delete(id))
      return [`${replayed.get(id)?.id}: is in the list twice`];
  }
  return Array.from(missing.values(), ({ id }) => `${id}: is missing from the list`);
};

/**
 * Replays the conversation of each line, then reads all of them back. A problem is reported and
 * stops nothing.
 */
export const replayLines = async (
  sessions: SessionService,
  lines: Items<string>,
  concurrency: number,
  onProgress?: (text: string, share?: number) => void,
) => {
  const replayed = new Map<string, Conversation>();
  const problems: string[] = [];
  let [lineNumber, turns, read] = [0, 0, 0];
  const since = new Date(Date.now() - 1);
  const begun = performance.now();
  await inParallel(lines, concurrency, async (line) => {
    lineNumber += 1;
    const name = `line ${lineNumber}`;
    if (line.trim() === '') return;
    try {
      const conversation = parse(line);
      replayed.set(await replayConversation(sessions, conversation), conversation);
      turns += conversation.turns.length;
      onProgress?.(`replayed ${replayed.size}`);
    } catch (cause) {
      problems.push(`${name}: ${messageOf(cause)}`);
    }
  });
  const replayMs = performance.now() - begun;
  await inParallel(replayed, concurrency, async ([id, conversation]) => {
    const session = await sessions.get(id);
    if (session.isOk()) problems.push(...differenceOf(conversation, session.value));
    else problems.push(`${conversation.id}: cannot be read back: ${session.error.message}`);
    read += 1;
    onProgress?.(`read back ${read} of ${replayed.size}`, read / replayed.size);
  });
  const parseMs = performance.now() - begun - replayMs;
  problems.push(...(await missingFromList(sessions, replayed, since)));
  return { ids: [...replayed.keys()], turns, replayMs, parseMs, problems };
};
