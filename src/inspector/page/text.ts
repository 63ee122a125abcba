/**
 * Characters that are invisible or change the direction of the text: control and format characters,
 * line separators and lone surrogates. Line ends, tabs and joiners are allowed.
 */
const invisible = /(?!\r\n|[\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const codePointOf = (character: string): string => {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${digits}⟩`;
};

/** Replaces characters that could deceive the reader of an untrusted text by their code points. */
export const escapeInvisible = (text: string): string => text.replace(invisible, codePointOf);

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Whole seconds as `1:02:03`, or `2:03` below an hour. */
export const asDuration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = twoDigits(Math.floor(seconds) % 60);
  if (hours === 0) return `${minutes}:${rest}`;
  return `${hours}:${twoDigits(minutes)}:${rest}`;
};

const isToday = (time: Date): boolean => time.toDateString() === new Date().toDateString();

/**
 * A time in the browser's time zone, with the date unless it is today. An invalid time is returned
 * unchanged.
 */
export const asTime = (timestamp: string): string => {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return escapeInvisible(timestamp);
  // Swedish writes dates and times as ISO 8601 does.
  return isToday(time) ? time.toLocaleTimeString('sv') : time.toLocaleString('sv');
};

const ages: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** How long ago a time was, for example `5 min ago`; after 30 days the time itself. */
export const asAge = (timestamp: string, now: number): string => {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (!(seconds < 30 * 86_400)) return asTime(timestamp);
  const [size, unit] = ages.find(([least]) => seconds >= least) ?? [1, 's'];
  const count = Math.floor(seconds / size);
  if (unit === 's' && count < 10) return 'just now';
  return `${count} ${unit} ago`;
};

export const asCount = (count: number): string => count.toLocaleString('en');
