import type { HistoryEntry } from '../session/session.js';
import { CliError, UsageError } from './cli-error.js';
import type { Options } from './options.js';
import { jsonLine, type Line, printAll, printable } from './print.js';
import { entryLines, sessionLines, sessionObject } from './session-lines.js';
import { type SessionSource, type ShownChange, sourceHelp, unwrap, withSource } from './session-source.js';
import { clip, columns } from './table-lines.js';

const help = `Usage: colloquy inspect [options] ID

Shows a session with the end of its history. It reads and changes nothing.

  --history N   The last N entries of the history. Default: 20; with --json all.
  --follow      Goes on with what the session does, until it ends or Ctrl-C. The service must have events switched on.
  --json        Prints one line of JSON, as the HTTP interface has it, and the end_reason; with --follow one a change.
${sourceHelp}`;

const objectOf = (change: ShownChange, added: readonly HistoryEntry[], entries: number): object => {
  const { type } = change;
  if (type === 'session.snapshot') return { type, session: sessionObject(change.session, entries) };
  if (type === 'session.expiring') return { type, at: change.at, ends_at: change.endsAt, end_reason: change.endReason };
  const { id, sequence, at } = change;
  if (type === 'session.appended') return { id, type, sequence, at, entries: added };
  return { id, type, sequence, at, end_reason: type === 'session.terminated' ? change.endReason : undefined };
};

const linesOf = (change: ShownChange, added: readonly HistoryEntry[], entries: number): Line[] => {
  if (change.type === 'session.snapshot') return sessionLines(change.session, entries);
  if (change.type === 'session.appended') return added.flatMap(entryLines);
  const reason = change.type === 'session.terminated' ? `, ${change.endReason}` : '';
  const text = printable(`${change.at}  ${change.type.replace('session.', '')}${reason}`);
  return [{ text: clip(text, columns()), style: 'yellow' }];
};

/** Shows a session and what it does, until it ends, is deleted, or nobody reads any more. */
const follow = async (source: SessionSource, id: string, entries: number, isJson: boolean): Promise<void> => {
  const { sessions, place } = source;
  const noEvents = `${place}: no events are recorded there; switch them on in the service, as with COLLOQUY_EVENTS=on`;
  if (!(await source.hasEvents())) throw new CliError(noEvents);
  let known = 0;
  for await (const item of sessions.watch(id)) {
    if (item.isErr() && item.error.type === 'route_not_found') throw new CliError(noEvents);
    const change = unwrap(place, item);
    // The event does not carry the entries. If the session is gone by now, the next event says so.
    const read = change.type === 'session.appended' ? await sessions.get(id) : undefined;
    const session = change.type === 'session.snapshot' ? change.session : read?.unwrapOr(undefined);
    const added = session?.history.slice(known) ?? [];
    known += added.length;
    const lines = isJson ? [{ text: jsonLine(objectOf(change, added, entries)) }] : linesOf(change, added, entries);
    if (!(await printAll(lines))) return;
  }
};

const run = async (options: Options): Promise<void> => {
  const [id] = options.operands;
  if (id === undefined) throw new UsageError('which session? give its ID');
  const [isJson, isFollowing] = [options.isOn('json'), options.isOn('follow')];
  const entries = options.integer('history', 0, 100_000_000, isJson ? Number.POSITIVE_INFINITY : 20);
  await withSource(options, async (source) => {
    if (isFollowing) return follow(source, id, entries, isJson);
    const session = unwrap(source.place, await source.sessions.get(id));
    await printAll(isJson ? [{ text: jsonLine(sessionObject(session, entries)) }] : sessionLines(session, entries));
  });
};

export const inspect = { summary: 'show one session, and follow it', help, operands: 1, run };
