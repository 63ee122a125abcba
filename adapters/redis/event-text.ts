import { timestampOf } from '../../src/clock.js';
import type { SessionEvent } from '../../src/events/event.js';
import type { EndReason } from '../../src/status.js';
import { keyOfDue } from './keys.js';
import type { Made } from './replies.js';

/** What there is to tell of a change beside whose it was. `at` is in milliseconds since the epoch. */
export type Tidings =
  | { readonly type: 'created' | 'started' | 'paused' | 'resumed' | 'deleted'; readonly at: number }
  | { readonly type: 'terminated'; readonly at: number; readonly endReason: EndReason }
  | { readonly type: 'appended'; readonly at: number; readonly position: number };

/**
 * An event as it stands in a stream, one line of plain text:
 *
 *     1 <type> <birth> <sequence> <ms> <tenant>:<id> <end reason, or where the history stands, or ->
 *
 * First the version of this format. The birth is the id of the write that created the session.
 */
export const eventText = (due: string, { birth, sequence }: Made, tidings: Tidings): string =>
  `1 ${tidings.type} ${birth} ${sequence} ${tidings.at} ${due} ${detailOf(tidings)}`;

const detailOf = (tidings: Tidings): string => {
  if (tidings.type === 'terminated') return tidings.endReason;
  return tidings.type === 'appended' ? String(tidings.position) : '-';
};

const pattern =
  /^1 (created|started|paused|resumed|appended|terminated|deleted) ([\w-]*) (\d+) (\d+) ([\w.~%:-]+) ([\w-]+)$/;

const endReasons: ReadonlySet<string> = new Set<EndReason>(['terminated', 'failed', 'time_limit', 'idle_timeout']);
const isEndReason = (text: string): text is EndReason => endReasons.has(text);

type Simple = 'created' | 'started' | 'paused' | 'resumed' | 'deleted';
const isSimple = (type: string): type is Simple => type !== 'terminated' && type !== 'appended';

/** The event, or nothing if the text is of no format that this version knows. */
export const decodeEvent = (position: string, text: string): SessionEvent | undefined => {
  const [, type, birth, number, ms, due, detail] = pattern.exec(text) ?? [];
  if (type === undefined || due === undefined || detail === undefined) return undefined;
  const { tenant, id: sessionId } = keyOfDue(due);
  const sequence = Number(number);
  const base = { id: `${birth}.${number}`, tenant, sessionId, sequence, at: timestampOf(Number(ms)), position };
  if (isSimple(type)) return { ...base, type: `session.${type}` };
  if (type === 'appended') return { ...base, type: 'session.appended', historyPosition: Number(detail) };
  return isEndReason(detail) ? { ...base, type: 'session.terminated', endReason: detail } : undefined;
};
