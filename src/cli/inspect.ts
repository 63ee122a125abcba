import type { SessionLabels } from '../session/session.js';
import { CliError, UsageError, unwrap } from './cli-error.js';
import type { Options } from './options.js';
import { jsonLine, type Line, print, printAll, printable } from './print.js';
import {
  entryLines,
  inboxText,
  sessionLines,
  sessionObject,
  summaryObject,
  usageText,
  workText,
} from './session-lines.js';
import {
  type SessionSource,
  type ShownChange,
  type ShownSummary,
  sourceHelp,
  withSource,
} from './session-source.js';
import { clip, columns } from './table-lines.js';

const help = `Usage: colloquy inspect [options] ID

Shows a session and the end of its history. Changes nothing.

  --history N  Number of latest entries to show. Default: 20; with --json, all.
  --follow  Shows each change until the session ends or you press Ctrl-C. Events must be enabled.
  --json  Prints the session as one line of JSON. With --follow, one line for each change: the session
    without its history, and the new entries. After a rewind or a redaction, the session again.
${sourceHelp}`;

const objectOf = (change: ShownChange, entries: number): object => {
  const { type } = change;
  switch (type) {
    case 'session.snapshot':
      return { type, session: sessionObject(change.session, entries) };
    case 'session.changed':
      return {
        type,
        sequence: change.sequence,
        session: summaryObject(change.session),
        entries: change.entries,
      };
    case 'session.expiring':
      return { type, at: change.at, ends_at: change.endsAt, end_reason: change.endReason };
    case 'session.deleted':
      return { type };
  }
};

const labelsText = (labels: SessionLabels = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ') || 'no labels';

const statusText = ({ status, endReason }: ShownSummary): string =>
  [status.toLowerCase(), endReason].filter(Boolean).join(', ');

const limitText = ({ options: { timeLimit } }: ShownSummary): string =>
  timeLimit === 0 ? 'no time limit' : `time limit ${timeLimit} s`;

const leaseText = ({ lease }: ShownSummary): string =>
  lease === undefined ? 'not leased' : `leased by ${lease.holder}`;

const texts: readonly ((session: ShownSummary) => string)[] = [
  statusText,
  limitText,
  ({ labels }) => labelsText(labels),
  ({ metadata = {} }) => `metadata ${JSON.stringify(metadata)}`,
  leaseText,
  (session) => usageText(session) || 'no usage',
  (session) => inboxText(session) || 'no message waiting',
  (session) => workText(session) || 'waits for no worker',
];

const differenceOf = (before: ShownSummary, after: ShownSummary): string => {
  const different = texts.map((text) => [text(before), text(after)]).filter(([a, b]) => a !== b);
  return different.map(([, text]) => text).join('; ');
};

const titleLine = (text: string, at = new Date().toISOString()): Line => ({
  text: clip(printable(`${at}  ${text}`), columns()),
  style: 'yellow',
});

const linesOf = (
  change: ShownChange,
  before: ShownSummary | undefined,
  entries: number,
): Line[] => {
  switch (change.type) {
    case 'session.snapshot':
      return sessionLines(change.session, entries);
    case 'session.changed': {
      const lines = change.entries.flatMap(entryLines);
      const difference = before && differenceOf(before, change.session);
      if (!difference) return lines;
      // Leases and updates don't count as activity, so they appear with the time of this read.
      const { updatedAt } = change.session;
      const at = updatedAt === before.updatedAt ? undefined : updatedAt;
      return [...lines, titleLine(difference, at)];
    }
    case 'session.expiring':
      return [titleLine(`expiring, ${change.endReason} at ${change.endsAt}`, change.at)];
    case 'session.deleted':
      return [titleLine('deleted')];
  }
};

const follow = async (
  source: SessionSource,
  id: string,
  entries: number,
  isJson: boolean,
): Promise<void> => {
  const { sessions, storeName } = source;
  const noEvents = `${storeName}: events are not enabled; enable them in the service, for example with COLLOQUY_EVENTS=on`;
  if (!(await source.hasEvents())) throw new CliError(noEvents);
  let before: ShownSummary | undefined;
  for await (const item of sessions.watch(id)) {
    if (item.isErr() && item.error.type === 'route_not_found') throw new CliError(noEvents);
    const change = unwrap(storeName, item);
    const isPrinted = isJson
      ? await print(jsonLine(objectOf(change, entries)))
      : await printAll(linesOf(change, before, entries));
    if (!isPrinted) return;
    if ('session' in change) before = change.session;
  }
};

const run = async (options: Options): Promise<void> => {
  const [id] = options.operands;
  if (id === undefined) throw new UsageError('the session ID is missing');
  const [isJson, isFollowing] = [options.isOn('json'), options.isOn('follow')];
  const shown = isJson ? Number.POSITIVE_INFINITY : 20;
  const entries = options.integer('history', 0, 100_000_000, shown);
  await withSource(options, async (source) => {
    if (isFollowing) return follow(source, id, entries, isJson);
    const session = unwrap(source.storeName, await source.sessions.get(id));
    if (isJson) await print(jsonLine(sessionObject(session, entries)));
    else await printAll(sessionLines(session, entries));
  });
};

export const inspect = { summary: 'show a session and follow its changes', help, operands: 1, run };
