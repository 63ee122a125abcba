import { LATEST, timestampOf } from '../session/clock.js';
import { KEY_LENGTH } from '../session/limits.js';
import type { ListCursor } from '../store/session-store.js';

/**
 * Escapes to the unreserved characters of RFC 3986 (2.3), so that a cursor needs no encoding in a
 * URL or a header.
 */
const escapeId = (id: string): string =>
  id.replace(/[^\w.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unescapeId = (escaped: string): string =>
  escaped.replace(/~([0-9a-f]{4})/g, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );

/**
 * The cursor of a position in a list. In a list by last update it begins with `~`, because its time
 * has another meaning.
 */
export const cursorOf = ({ at, id }: ListCursor, isByUpdate = false): string => {
  const text = `${Date.parse(at).toString(36)}.${escapeId(id)}`;
  return isByUpdate ? `~${text}` : text;
};

export const cursorForm = /^~?([0-9a-z]{1,10})\.((?:[\w.-]|~[0-9a-f]{4})+)$/;

export const positionOfCursor = (cursor: string, isByUpdate = false): ListCursor | undefined => {
  // The length of the longest id with every character escaped.
  if (cursor.length > 16 + KEY_LENGTH * 5) return undefined;
  const [, time = '', escaped = ''] = cursorForm.exec(cursor) ?? [];
  const ms = Number.parseInt(time, 36);
  if (!(ms <= LATEST)) return undefined;
  const position = { at: timestampOf(ms), id: unescapeId(escaped) };
  return cursorOf(position, isByUpdate) === cursor ? position : undefined;
};
