import type { HistoryEntry } from '../../session/session.js';
import { wrapped } from '../columns.js';
import { printable, printableLines } from '../printable.js';
import type { ReadSession } from '../read/source.js';

const LABEL = 10;
const INDENT = 4;
/** However narrow the terminal is, some of a text has to stand on a line. */
const LEAST_ROOM = 20;

/** Texts of strangers stand behind an indent on every line, so that no text looks like what is said about it. */
const indented = (text: string, indent: number, room: number | undefined): string[] =>
  printableLines(text)
    .flatMap((line) => (room === undefined ? [line] : wrapped(line, Math.max(LEAST_ROOM, room - indent))))
    .map((line) => `${' '.repeat(indent)}${line}`.trimEnd());

const field = (label: string, text: string, room: number | undefined): string[] => {
  if (text === '') return [];
  const [first = '', ...rest] = indented(text, LABEL, room);
  return [`${label.padEnd(LABEL)}${first.slice(LABEL)}`, ...rest];
};

const plural = (count: number, noun: [one: string, more: string]): string =>
  `${count} ${count === 1 ? noun[0] : noun[1]}`;

/** One entry of a history. */
export const entryLines = ({ role, content, timestamp }: HistoryEntry, room: number | undefined): string[] => [
  `${printable(timestamp)}  ${printable(role)}`,
  ...indented(content, INDENT, room),
];

/** The last entries of a history: `slice(-0)` would be all of them. */
export const lastOf = (history: readonly HistoryEntry[], most: number): readonly HistoryEntry[] =>
  history.slice(Math.max(0, history.length - most));

/** Where a session stands. */
export const statusText = ({ status, endReason }: Pick<ReadSession, 'status' | 'endReason'>): string =>
  endReason === undefined ? status : `${status}, ${endReason}`;

/** A session for a person, with at most the last `most` entries of its history. */
export const sessionLines = (session: ReadSession, most: number, room: number | undefined): string[] => {
  const { id, createdAt, duration, options, history } = session;
  const last = lastOf(history, most);
  const limit = options.timeLimit === 0 ? '' : ` of ${options.timeLimit} s`;
  const shown = last.length === history.length ? '' : `, the last ${last.length}`;
  return [
    ...field('ID', id, room),
    ...field('Status', statusText(session), room),
    ...field('Created', createdAt, room),
    ...field('Duration', `${duration} s${limit}`, room),
    ...field('Face', options.face, room),
    ...field('Profile', options.profile, room),
    ...field('Behavior', options.behavior, room),
    ...field('Context', options.context, room),
    ...field('History', `${plural(history.length, ['entry', 'entries'])}${shown}`, room),
    ...last.flatMap((entry) => entryLines(entry, room)),
  ];
};
