/** Escapes a text for a cell of a Markdown table. */
export const inCell = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
