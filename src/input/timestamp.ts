import { type Schema, schema } from '../schema/schema.js';
import { timestampOf } from '../session/clock.js';
import { isDate } from '../session/native-kinds.js';

/** Without flags: the OpenAPI document contains its source. */
const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const RULE = 'must be an RFC 3339 date-time, such as 2026-01-31T18:00:02.000Z, or a valid Date';

/** `Date.parse` reads 30 February as 2 March. */
const isCalendarDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();

const instantOf = (value: unknown): number => {
  if (isDate(value)) return value.getTime();
  if (typeof value !== 'string') return Number.NaN;
  const [, year, month, day] = rfc3339.exec(value) ?? [];
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return Number.NaN;
  return Date.parse(value.toUpperCase());
};

/** A time, which is read as UTC with milliseconds. Years 0 to 9999, as in RFC 3339. */
export const timestamp: Schema<string> = schema(
  (issues, path, value) => {
    const instant = instantOf(value);
    const time = Number.isNaN(instant) ? '' : timestampOf(instant);
    issues.check(time.length === 24, path, RULE);
    return time;
  },
  () => ({ type: 'string', format: 'date-time', pattern: rfc3339.source }),
);
