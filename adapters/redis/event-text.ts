import type { SessionEvent } from '../../src/events/event.js';
import { eventOf, type Made, type Tidings } from '../../src/events/tidings.js';
import { isEndReason } from '../../src/status.js';
import { keyOfPath } from './keys.js';

/**
 * An event as it stands in a stream, one line of plain text:
 *
 *     1 <type> <birth> <sequence> <ms> <tenant>:<id> <end reason, or where the history stands, or ->
 *
 * First the version of this format. The birth is the id of the write that created the session.
 */
export const eventText = (path: string, { birth, sequence }: Made, tidings: Tidings): string =>
  `1 ${tidings.type} ${birth} ${sequence} ${tidings.at} ${path} ${detailOf(tidings)}`;

const detailOf = (tidings: Tidings): string => {
  if (tidings.type === 'terminated') return tidings.endReason;
  return tidings.type === 'appended' ? String(tidings.position) : '-';
};

const pattern =
  /^1 (created|started|paused|resumed|appended|terminated|deleted) ([\w-]*) (\d+) (\d+) ([\w.~%:-]+) ([\w-]+)$/;

type Simple = Exclude<Tidings['type'], 'terminated' | 'appended'>;
const isSimple = (type: string): type is Simple => type !== 'terminated' && type !== 'appended';

const readTidings = (type: string, at: number, detail: string): Tidings | undefined => {
  if (isSimple(type)) return { type, at };
  if (type === 'appended') return { type, at, position: Number(detail) };
  return isEndReason(detail) ? { type: 'terminated', at, endReason: detail } : undefined;
};

/** The event, or nothing if the text is of no format that this version knows. */
export const decodeEvent = (position: string, text: string): SessionEvent | undefined => {
  const [, type, birth, number, ms, path, detail] = pattern.exec(text) ?? [];
  if (type === undefined || birth === undefined || path === undefined || detail === undefined) return undefined;
  const tidings = readTidings(type, Number(ms), detail);
  return tidings && eventOf(keyOfPath(path), { birth, sequence: Number(number) }, tidings, position);
};
