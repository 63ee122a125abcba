import { err, ok } from 'neverthrow';
import { type Column, tableLines } from '../columns.js';
import type { Command } from '../command.js';
import { failure } from '../failure.js';
import { print, printAll, roomOf } from '../output.js';
import { jsonLine, printable } from '../printable.js';
import { openSource } from '../read/open.js';
import { sessionObject } from '../read/session-json.js';
import { sourceHelp } from '../read/settings.js';
import type { ReadSession } from '../read/source.js';
import { readListSettings } from './settings.js';
import { type Walked, walk } from './walk.js';

const help = `Usage: colloquy list [options]

Lists sessions, the newest first. It reads and changes nothing.

Options:
  --status STATUS      Only those that are IDLE, ACTIVE, PAUSED or TERMINATED now. On a Redis all others are read too,
                       and passed over.
  --limit N            The most that are listed. Default: 20.
  --order ORDER        newest or oldest first. Default: newest.
  --after CURSOR       Goes on behind another list.
  --created-after T, --created-before T
                       Only those created later or earlier than this time, such as 2026-01-31T18:00:00Z.
  --json               Each session as one line of JSON, in the form of the HTTP interface, with its end_reason.
${sourceHelp}

How to go on, and what could not be read, is said on standard error. Ends with 1 if something could not be read.
`;

const columns: readonly Column[] = [
  { title: 'ID', least: 21 },
  { title: 'STATUS' },
  { title: 'CREATED (UTC)' },
  { title: 'SECONDS', align: 'right' },
  { title: 'ENTRIES', align: 'right' },
  { title: 'FACE', least: 5 },
  { title: 'PROFILE', least: 7 },
];

const rowOf = ({ id, status, createdAt, duration, history, options }: ReadSession): string[] => [
  printable(id),
  status,
  createdAt.slice(0, 19).replace('T', ' '),
  String(duration),
  String(history.length),
  printable(options.face),
  printable(options.profile),
];

const summaryOf = ({ shown, total, next }: Walked): string => {
  const counted = total === undefined || total === shown ? `${shown}` : `${shown} of ${total}`;
  const sessions = `${counted} ${(total ?? shown) === 1 ? 'session' : 'sessions'}`;
  return next === undefined ? sessions : `${sessions}; --after ${next} goes on`;
};

const run: Command['run'] = async (args, env) => {
  const settings = readListSettings(args, env);
  if (settings.isErr()) return err(settings.error);
  const { filter, limit, json } = settings.value;
  const opened = await openSource(settings.value.source);
  if (opened.isErr()) return err(opened.error);
  const source = opened.value;
  try {
    const rows: string[][] = [];
    const show = async (session: ReadSession): Promise<boolean> => {
      if (json) return print(jsonLine(sessionObject(session)));
      rows.push(rowOf(session));
      return true;
    };
    const walked = await walk(source, filter, limit, show);
    if (rows.length > 0) await printAll(tableLines(columns, rows, roomOf(env)));
    if (walked.isErr()) return err(walked.error);
    const { next, unreadable } = walked.value;
    if (!json || next !== undefined) console.error(summaryOf(walked.value));
    if (unreadable.length > 0) return err(failure(`cannot be read: ${unreadable.join(', ')}`));
    return ok(undefined);
  } finally {
    await source.close();
  }
};

export const list: Command = { summary: 'list sessions', help, run };
