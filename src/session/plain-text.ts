/**
 * Escapes the characters of a text that control a terminal, the direction of text, or line breaks.
 */
export const plainText = (text: string): string =>
  text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
