import { LATEST, timestampOf } from '../clock.js';
import { KEY_LENGTH } from '../limits.js';
import type { ListPlace } from '../store.js';
import type { IssueList } from './issues.js';

/** Of the unreserved characters of RFC 3986 (2.3) alone, so that a cursor stands in a query or a header as it is. */
const escapeId = (id: string): string =>
  id.replace(/[^\w.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unescapeId = (escaped: string): string =>
  escaped.replace(/~([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));

/** The text that stands for a place in a list, whatever comes and goes around it. */
export const cursorOf = ({ createdAt, id }: ListPlace): string =>
  `${Date.parse(createdAt).toString(36)}.${escapeId(id)}`;

export const cursorForm = /^([0-9a-z]{1,10})\.((?:[\w.-]|~[0-9a-f]{4})+)$/;

/** The place that a cursor stands for; nothing for a text that is none. */
export const placeOf = (cursor: string): ListPlace | undefined => {
  // No id is longer, however much of it is escaped.
  if (cursor.length > 16 + KEY_LENGTH * 5) return undefined;
  const [, time = '', escaped = ''] = cursorForm.exec(cursor) ?? [];
  const ms = Number.parseInt(time, 36);
  if (!(ms <= LATEST)) return undefined;
  const place = { createdAt: timestampOf(ms), id: unescapeId(escaped) };
  return cursorOf(place) === cursor ? place : undefined;
};

export const readCursor = (issues: IssueList, path: string, value: unknown): ListPlace | undefined => {
  const place = typeof value === 'string' ? placeOf(value) : undefined;
  issues.check(place !== undefined, path, 'must be a cursor that a page of this list has given as its next');
  return place;
};
