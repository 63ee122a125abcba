import { toWholeSession, toWireSummary, toWireWork } from '../endpoints/wire-session.js';
import type { HistoryEntry } from '../session/session.js';
import { limitIn, usedText } from '../session/used-text.js';
import { type Line, plural, printable } from './print.js';
import type { ShownSession, ShownSummary } from './session-source.js';
import { clip, columns, wrap } from './table-lines.js';

const LABEL = 10;

export const styleOf = {
  IDLE: undefined,
  ACTIVE: 'green',
  PAUSED: 'yellow',
  TERMINATED: 'dim',
} as const;

const unlessEmpty = <T extends object>(fields: T | undefined): T | undefined =>
  fields && Object.keys(fields).length > 0 ? fields : undefined;

const moreOf = ({ endReason, labels, metadata, lease, usage, budget, ...rest }: ShownSummary) => ({
  end_reason: endReason,
  labels: unlessEmpty(labels),
  metadata: unlessEmpty(metadata),
  lease,
  usage,
  budget,
  ...toWireWork(rest),
});

/**
 * A session in the format of the HTTP interface, with its latest entries, and its end reason,
 * labels, metadata, lease, inbox and work if they are known.
 */
export const sessionObject = (session: ShownSession, entries = Number.POSITIVE_INFINITY) => ({
  ...toWholeSession({
    ...session,
    history: session.history.slice(Math.max(0, session.history.length - entries)),
  }),
  ...moreOf(session),
});

export const summaryObject = (session: ShownSummary) => ({
  ...toWireSummary(session),
  ...moreOf(session),
});

export const workText = ({ work }: ShownSummary): string => {
  if (work === undefined) return '';
  const { state, since, attempt, nextAt, error } = work;
  const facts = [`${state} since ${since}`];
  if (attempt > 0) facts.push(`attempt ${attempt}`);
  if (nextAt !== undefined) facts.push(`due at ${nextAt}`);
  if (error !== undefined) facts.push(`last error: ${error}`);
  return facts.join(', ');
};

export const usageText = ({ usage = {}, budget = {} }: ShownSummary): string =>
  Object.entries(usage)
    .map(([name, sum]) => usedText(name, sum, limitIn(budget, name)))
    .join(', ');

export const inboxText = ({ inbox = 0 }: ShownSummary): string =>
  inbox === 0 ? '' : `${plural(inbox, 'message')} waiting`;

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Indents every line, so that untrusted text cannot look like a heading. A line has at least 20
 * columns.
 */
const indented = (text: string, indent: number): Line[] =>
  text
    .split('\n')
    .flatMap((line) => wrap(printable(line), Math.max(20, columns() - indent)))
    .map((line) => ({ text: `${' '.repeat(indent)}${line}`.trimEnd() }));

const dataLines = (data: unknown): Line[] => {
  if (data === undefined) return [];
  return indented(JSON.stringify(data), 4).map(({ text }) => ({ text, style: 'dim' }));
};

export const entryLines = ({ role, content, timestamp, id = '', data }: HistoryEntry): Line[] => [
  { text: clip(printable(`${timestamp}  ${role}  ${id}`.trimEnd()), columns()), style: 'bold' },
  ...indented(content, 4),
  ...dataLines(data),
];

const fieldLines = (label: string, text = ''): Line[] => {
  if (text === '') return [];
  const [first, ...rest] = indented(text, LABEL);
  return [{ text: label.padEnd(LABEL) + first?.text.slice(LABEL) }, ...rest];
};

export const sessionLines = (session: ShownSession, entries: number): Line[] => {
  const { id, status, createdAt, duration, options } = session;
  const { timeLimit, ...others } = options;
  const { length } = session.history;
  const shown = sessionObject(session, entries);
  const { end_reason: endReason, labels = {}, metadata, lease, history } = shown;
  const count = `${length} ${length === 1 ? 'entry' : 'entries'}`;
  const fields: readonly (readonly [label: string, text: string | undefined])[] = [
    ['ID', id],
    ['Status', [status, endReason].filter(Boolean).join(', ')],
    ['Created', createdAt],
    ['Duration', timeLimit === 0 ? `${duration} s` : `${duration} s of ${timeLimit} s`],
    [
      'Leased by',
      lease && `${lease.holder} until ${lease.until}, fencing token ${lease.fencingToken}`,
    ],
    ['Usage', usageText(session)],
    ['Inbox', inboxText(session)],
    ['Work', workText(session)],
    // Each label stays on one line, whatever its value.
    [
      'Labels',
      Object.entries(labels)
        .map((label) => printable(label.join('=')))
        .join('\n'),
    ],
    ['Metadata', metadata && JSON.stringify(metadata)],
    ...Object.entries(others).map(([name, value]) => [capitalised(name), value] as const),
    ['History', history.length === length ? count : `${count}, the last ${history.length}`],
  ];
  const lines = fields.flatMap(([label, text]) => fieldLines(label, text));
  return [...lines, ...history.flatMap(entryLines)];
};
