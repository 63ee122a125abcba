import type { SessionLabels } from '../session/session.js';
import { CliError, UsageError, unwrap } from './cli-error.js';
import { type Added, FollowedHistory } from './followed-history.js';
import type { Options } from './options.js';
import { jsonLine, type Line, printAll, printable } from './print.js';
import { entryLines, sessionLines, sessionObject } from './session-lines.js';
import { type SessionSource, type ShownChange, sourceHelp, withSource } from './session-source.js';
import { clip, columns } from './table-lines.js';

const help = `Usage: colloquy inspect [options] ID

Shows a session and the end of its history. Changes nothing.

  --history N   Number of latest entries to show. Default: 20; with --json, all.
  --follow      Shows each change until the session ends or you press Ctrl-C. Events must be enabled.
  --json        Prints the session as one line of JSON, in the format of the HTTP interface plus end_reason; a session
                of a database also has its labels and its current lease. With --follow, one line for each change.
                Where a change has "after", its entries follow that position, and supersede what was after it.
${sourceHelp}`;

const objectOf = (change: ShownChange, added: Added, entries: number): object => {
  const { type } = change;
  if (type === 'session.snapshot') return { type, session: sessionObject(change.session, entries) };
  if (type === 'session.expiring') return { type, at: change.at, ends_at: change.endsAt, end_reason: change.endReason };
  const { id, sequence, at } = change;
  if (type === 'session.appended') return { id, type, sequence, at, ...added };
  if (type === 'session.extended')
    return { id, type, sequence, at, time_limit: change.timeLimit, ends_at: change.endsAt };
  if (type === 'session.updated') return { id, type, sequence, at, labels: change.labels };
  if (type === 'session.redacted') return { id, type, sequence, at, positions: change.positions };
  if (type === 'session.leased' || type === 'session.released')
    return { id, type, sequence, at, holder: change.holder };
  return { id, type, sequence, at, end_reason: type === 'session.terminated' ? change.endReason : undefined };
};

const labelsLine = (labels: SessionLabels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ') || 'no labels';

const detailOf = (change: ShownChange): string => {
  switch (change.type) {
    case 'session.terminated':
      return `, ${change.endReason}`;
    case 'session.extended':
      return change.timeLimit === 0 ? ', no limit' : `, ${change.timeLimit} s`;
    case 'session.updated':
      return `, ${labelsLine(change.labels)}`;
    case 'session.redacted':
      return `, ${change.positions.length === 1 ? 'an entry' : `${change.positions.length} entries`}`;
    case 'session.leased':
    case 'session.released':
      return ` by ${change.holder}`;
    default:
      return '';
  }
};

const rewindOf = (after: number): string =>
  after === 0
    ? 'rewound to the beginning: all entries so far are superseded'
    : `rewound: the entries after position ${after} are superseded`;

const linesOf = (change: ShownChange, added: Added, entries: number): Line[] => {
  if (change.type === 'session.snapshot') return sessionLines(change.session, entries);
  const name = added.after === undefined ? change.type.replace('session.', '') : rewindOf(added.after);
  const text = printable(`${change.at}  ${name}${detailOf(change)}`);
  const line: Line = { text: clip(text, columns()), style: 'yellow' };
  if (change.type !== 'session.appended') return [line];
  return [...(added.after === undefined ? [] : [line]), ...added.entries.flatMap(entryLines)];
};

/** Shows a session and its changes until it ends, is deleted, or the output is closed. */
const follow = async (source: SessionSource, id: string, entries: number, isJson: boolean): Promise<void> => {
  const { sessions, storeName } = source;
  const noEvents = `${storeName}: events are not enabled; enable them in the service, for example with COLLOQUY_EVENTS=on`;
  if (!(await source.hasEvents())) throw new CliError(noEvents);
  const history = new FollowedHistory(sessions, id);
  for await (const item of sessions.watch(id)) {
    if (item.isErr() && item.error.type === 'route_not_found') throw new CliError(noEvents);
    const change = unwrap(storeName, item);
    if (change.type === 'session.snapshot') history.begin(change.session.history.length);
    // The event does not contain the entries.
    const added = change.type === 'session.appended' ? await history.added(change) : { entries: [] };
    const lines = isJson ? [{ text: jsonLine(objectOf(change, added, entries)) }] : linesOf(change, added, entries);
    if (!(await printAll(lines))) return;
  }
};

const run = async (options: Options): Promise<void> => {
  const [id] = options.operands;
  if (id === undefined) throw new UsageError('the session ID is missing');
  const [isJson, isFollowing] = [options.isOn('json'), options.isOn('follow')];
  const entries = options.integer('history', 0, 100_000_000, isJson ? Number.POSITIVE_INFINITY : 20);
  await withSource(options, async (source) => {
    if (isFollowing) return follow(source, id, entries, isJson);
    const session = unwrap(source.storeName, await source.sessions.get(id));
    await printAll(isJson ? [{ text: jsonLine(sessionObject(session, entries)) }] : sessionLines(session, entries));
  });
};

export const inspect = { summary: 'show a session and follow its changes', help, operands: 1, run };
