/** UTF-16 code units of the longest character that is kept whole. Emoji sequences are shorter. */
const LONGEST_CHARACTER = 32;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/**
 * The beginning of a text for people: at most `length` UTF-16 code units, and no half of a character
 * or emoji sequence at the end.
 */
export const cutText = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const near = text.slice(0, length + LONGEST_CHARACTER);
  // Firefox has Intl.Segmenter since 2024.
  const segments =
    typeof Intl.Segmenter === 'function' ? new Intl.Segmenter().segment(near) : undefined;
  const start = segments?.containing(length)?.index ?? length;
  const end = start > 0 && length - start < LONGEST_CHARACTER ? start : length;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
};
