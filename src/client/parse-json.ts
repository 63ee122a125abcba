const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Maximum characters of a text that needs no check: parsing it takes a few milliseconds, whatever it contains. */
const SMALL = 32 * 1024;
/** Maximum depth; the service nests four levels. */
const MAX_DEPTH = 32;
/** Minimum characters per object or array; the service writes at least 50. */
const CHARACTERS_A_CONTAINER = 16;

/** The index of the closing quote of the string that starts at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
};

/**
 * Whether `JSON.parse` is fast for a text. It takes seconds for megabytes of brackets, and cannot be interrupted.
 * Counting the brackets takes milliseconds.
 */
const isQuick = (text: string): boolean => {
  if (text.length <= SMALL) return true;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH) return false;
    }
  }
  return containers <= text.length / CHARACTERS_A_CONTAINER;
};

/** Parses JSON; undefined for invalid JSON, or JSON that would take long to parse. */
export const parseJson = (text: string): unknown => {
  if (!isQuick(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses JSON in UTF-8. */
export const parseJsonBytes = (bytes: Uint8Array): unknown => {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
};
