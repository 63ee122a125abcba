import { cursorOf } from '../input/cursor.js';
import { PAGE_LIMIT } from '../session/limits.js';
import { type SessionStatus, sessionStatuses } from '../session/session-status.js';
import { CliError, UsageError, unwrap } from './cli-error.js';
import type { Options } from './options.js';
import { jsonLine, plural, print, printAll, printError } from './print.js';
import { sessionObject, styleOf } from './session-lines.js';
import { type SessionSource, type ShownSession, sourceHelp, withSource } from './session-source.js';
import { columns, type Row, tableLines } from './table-lines.js';

const help = `Usage: colloquy list [options]

Lists sessions. Changes nothing. The cursor of the next page and the ids of unreadable sessions go
    to standard error. With --url, the table shows - for what the service does not tell.

  --status STATUS...  Only sessions that are IDLE, ACTIVE, PAUSED or TERMINATED now; may be given
    several times. With --redis and without --labels, reads all sessions.
  --labels NAME=VALUE...  Only sessions with this label, such as user=u-1; may be given several times.
  --limit N  Maximum number of sessions; above 1000000 it counts as 1000000. Default: 20.
  --order ORDER  newest or oldest first, or updated: the one that changed last first. Default: newest.
  --cursor CURSOR  Only sessions after this cursor, which an earlier list printed.
  --created-after TIME  Only sessions created later than this time, such as 2026-01-31T18:00:00Z.
  --created-before TIME  Only sessions created earlier than this time.
  --json  Prints each session as one line of JSON.
${sourceHelp}`;

const titles = [
  'ID',
  'STATUS',
  'CREATED (UTC)',
  'SECONDS',
  'ENTRIES',
  'INBOX',
  'WORK',
  'FACE',
  'PROFILE',
];

const cellsOf = (session: ShownSession): string[] => {
  const { id, status, createdAt, duration, options } = session;
  const created = createdAt.slice(0, 19).replace('T', ' ');
  const entries = 'historyCount' in session ? `${session.historyCount}` : '-';
  const { inbox = '-', work } = session;
  const state = work?.state ?? '-';
  return [
    ...[id, status, created, `${duration}`, entries],
    ...[`${inbox}`, state, options.face, options.profile],
  ];
};

const countedOf = async (
  { sessions, storeName }: SessionSource,
  query: object,
  count: number,
): Promise<string> => {
  const page = unwrap(storeName, await sessions.list({ ...query, limit: 1, historyLimit: 0 }));
  return `${count} of ${page.total} sessions`;
};

const labelsIn = (options: Options): object | undefined => {
  const labels = options
    .texts('labels', /^[^=]+=./s, 'be NAME=VALUE, such as user=u-1')
    .map((text) => text.split('='));
  const named = new Map(labels.map(([name = '', ...value]) => [name, value.join('=')]));
  if (named.size < labels.length) throw new UsageError('--labels must have each NAME once');
  if (named.size === 0) return undefined;
  return Object.fromEntries(named);
};

const statusForm = new RegExp(`^(${sessionStatuses.join('|')})$`, 'i');

const statusesIn = (options: Options): readonly SessionStatus[] | undefined => {
  const texts = options.texts('status', statusForm, 'be IDLE, ACTIVE, PAUSED or TERMINATED');
  const named = texts.map((text) => text.toUpperCase());
  if (named.length === 0) return undefined;
  return sessionStatuses.filter((status) => named.includes(status));
};

/** A service without session times does not report when a session was updated. */
const cursorAfter = (
  { id, createdAt, updatedAt }: ShownSession,
  isByUpdate: boolean,
): string | undefined => {
  const at = isByUpdate ? updatedAt : createdAt;
  return at && cursorOf({ id, at }, isByUpdate);
};

const readOptions = (options: Options) => {
  const isJson = options.isOn('json');
  return {
    isJson,
    limit: options.limit('limit', 1_000_000, 20),
    statuses: statusesIn(options),
    filter: {
      labels: labelsIn(options),
      order: options.text('order'),
      cursor: options.text('cursor'),
      createdAfter: options.text('created-after'),
      createdBefore: options.text('created-before'),
      historyLimit: isJson ? undefined : 0,
    },
  };
};

/** Shows the sessions of a list: as JSON immediately, as a table at the end. */
const show = async (
  source: SessionSource,
  { isJson, limit, statuses, filter }: ReturnType<typeof readOptions>,
): Promise<void> => {
  const query = { ...filter, status: statuses };
  const rows: Row[] = [{ cells: titles, style: 'bold' }];
  const unreadable: string[] = [];
  let [count, hasMore] = [0, false];
  let next: string | undefined;
  // Reads one session more than it shows, to know whether there are more.
  const pages = { ...query, limit: Math.min(limit + 1, PAGE_LIMIT) };
  for await (const item of source.sessions.each(pages)) {
    if (item.isErr() && item.error.type === 'corrupt_record') {
      unreadable.push(item.error.id ?? 'a session');
      continue;
    }
    const session = unwrap(source.storeName, item);
    hasMore = count === limit;
    if (hasMore) break;
    [count, next] = [count + 1, cursorAfter(session, filter.order === 'updated')];
    if (!isJson) rows.push({ cells: cellsOf(session), style: styleOf[session.status] });
    else if (!(await print(jsonLine(sessionObject(session))))) return;
  }
  if (rows.length > 1) await printAll(tableLines(rows, columns()));
  const counted = hasMore ? await countedOf(source, query, count) : plural(count, 'session');
  const hint = hasMore && next ? `; next page: --cursor ${next}` : '';
  if (!isJson || hasMore) await printError(counted + hint);
  if (unreadable.length > 0) throw new CliError(`unreadable sessions: ${unreadable.join(', ')}`);
};

const run = async (options: Options): Promise<void> => {
  const asked = readOptions(options);
  await withSource(options, (source) => show(source, asked));
};

export const list = { summary: 'list sessions', help, operands: 0, run };
