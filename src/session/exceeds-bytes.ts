const encoder = new TextEncoder();

/**
 * Whether a string has more than `most` bytes of UTF-8. Encodes only strings that may be near the
 * limit.
 */
export const exceedsBytes = (text: string, most: number): boolean => {
  if (text.length > most) return true;
  if (text.length * 3 <= most) return false;
  return encoder.encode(text).length > most;
};

export const jsonBytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
