import { cursorOf } from '../input/parse-cursor.js';
import { PAGE_LIMIT } from '../session/session-limits.js';
import { type SessionStatus, sessionStatuses } from '../session/session-status.js';
import { CliError, UsageError, unwrap } from './cli-error.js';
import type { Options } from './options.js';
import { jsonLine, type Line, plural, print, printAll, printError } from './print.js';
import { sessionObject, styleOf } from './session-lines.js';
import { type ShownSession, sourceHelp, withSource } from './session-source.js';
import { columns, tableLines } from './table-lines.js';

const help = `Usage: colloquy list [options]

Lists sessions. Changes nothing. The cursor of the next page and the ids of unreadable sessions go to standard error.
A service does not tell the number of entries: with --url, the table shows - instead.

  --status STATUS...      Only sessions that are IDLE, ACTIVE, PAUSED or TERMINATED now; may be given several times.
                          With --redis and without --labels, reads all sessions.
  --labels NAME=VALUE...  Only sessions with this label, such as user=u-1; may be given several times.
  --limit N               Maximum number of sessions; above 1000000 it counts as 1000000. Default: 20.
  --order ORDER           newest or oldest first, or updated: the one that changed last first. Default: newest.
  --cursor CURSOR         Only sessions after this cursor, which an earlier list printed.
  --created-after TIME    Only sessions created later than this time, such as 2026-01-31T18:00:00Z.
  --created-before TIME   Only sessions created earlier than this time.
  --json                  Prints each session as one line of JSON, in the format of the HTTP interface plus end_reason;
                          a session of a database also has its labels, its metadata, its current lease and its work.
${sourceHelp}`;

const titles = ['ID', 'STATUS', 'CREATED (UTC)', 'SECONDS', 'ENTRIES', 'FACE', 'PROFILE'];

const cellsOf = (session: ShownSession): string[] => {
  const { id, status, createdAt, duration, options } = session;
  const created = createdAt.slice(0, 19).replace('T', ' ');
  const entries = 'historyCount' in session ? `${session.historyCount}` : '-';
  return [id, status, created, `${duration}`, entries, options.face, options.profile];
};

const labelsIn = (options: Options): object | undefined => {
  const labels = options
    .texts('labels', /^[^=]+=./s, 'be NAME=VALUE, such as user=u-1')
    .map((text) => text.split('='));
  const named = new Map(labels.map(([name = '', ...value]) => [name, value.join('=')]));
  if (named.size < labels.length) throw new UsageError('--labels must have each NAME once');
  return named.size === 0 ? undefined : Object.fromEntries(named);
};

const statusForm = new RegExp(`^(${sessionStatuses.join('|')})$`, 'i');

const statusesIn = (options: Options): readonly SessionStatus[] | undefined => {
  const texts = options.texts('status', statusForm, 'be IDLE, ACTIVE, PAUSED or TERMINATED');
  const named = texts.map((text) => text.toUpperCase());
  return named.length === 0
    ? undefined
    : sessionStatuses.filter((status) => named.includes(status));
};

/** The cursor after a session. A service that shows no times does not tell when it was updated. */
const cursorAfter = (
  { id, createdAt, updatedAt }: ShownSession,
  isByUpdate: boolean,
): string | undefined => {
  const at = isByUpdate ? updatedAt : createdAt;
  return at && cursorOf({ id, at }, isByUpdate);
};

const run = async (options: Options): Promise<void> => {
  const isJson = options.isOn('json');
  const limit = options.limit('limit', 1_000_000, 20);
  const statuses = statusesIn(options);
  const labels = labelsIn(options);
  const names = ['order', 'cursor', 'created-after', 'created-before'];
  const [order, cursor, createdAfter, createdBefore] = names.map((name) => options.text(name));
  await withSource(options, async ({ sessions, storeName, ...source }) => {
    // Among the sessions of a label, every store finds those of a status.
    const listsByStatus = source.listsByStatus || labels !== undefined;
    const filter = {
      labels,
      createdAfter,
      createdBefore,
      status: listsByStatus ? statuses : undefined,
    };
    const query = { ...filter, order, cursor, historyLimit: isJson ? undefined : 0 };
    const rows = [titles];
    const styles: Line['style'][] = ['bold'];
    const unreadable: string[] = [];
    let [count, hasMore] = [0, false];
    let next: string | undefined;
    // Reads one session more than it shows, to know whether there are more.
    for await (const item of sessions.each({ ...query, limit: Math.min(limit + 1, PAGE_LIMIT) })) {
      if (item.isErr() && item.error.type === 'corrupt_record') {
        unreadable.push(item.error.id ?? 'a session');
        continue;
      }
      const session = unwrap(storeName, item);
      if (statuses?.includes(session.status) === false) continue;
      hasMore = count === limit;
      if (hasMore) break;
      [count, next] = [count + 1, cursorAfter(session, order === 'updated')];
      rows.push(isJson ? [] : cellsOf(session));
      styles.push(styleOf[session.status]);
      if (isJson && !(await print(jsonLine(sessionObject(session))))) return;
    }
    if (!isJson && count > 0)
      await printAll(tableLines(rows, columns()).map((text, at) => ({ text, style: styles[at] })));
    const isCounted = hasMore && (statuses === undefined || listsByStatus);
    const page = isCounted
      ? await sessions.list({ ...query, limit: 1, historyLimit: 0 })
      : undefined;
    const counted = page
      ? `${count} of ${unwrap(storeName, page).total} sessions`
      : plural(count, 'session');
    if (!isJson || hasMore)
      await printError(
        hasMore
          ? `${counted}${next === undefined ? '' : `; next page: --cursor ${next}`}`
          : counted,
      );
    if (unreadable.length > 0) throw new CliError(`unreadable sessions: ${unreadable.join(', ')}`);
  });
};

export const list = { summary: 'list sessions', help, operands: 0, run };
