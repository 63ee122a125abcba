/** Bytes of UTF-8 that JSON.stringify makes of a UTF-16 code unit that is not a surrogate. */
const unitBytes = (unit: number): number => {
  if (unit < 0x20)
    return unit === 0x08 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d
      ? 2
      : 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
};

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Bytes of UTF-8 in the JSON string of a text, quotes included. A lone surrogate is escaped
 * (ECMA-262, 25.5.2.3).
 */
export const jsonBytes = (text: string): number => {
  let bytes = 2;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 4;
      at += 1;
    } else bytes += isHighSurrogate(unit) || isLowSurrogate(unit) ? 6 : unitBytes(unit);
  }
  return bytes;
};
