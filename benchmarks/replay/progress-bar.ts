/**
 * Draws a progress bar and a text on a terminal, at most ten times a second. An empty text clears
 * the line.
 */
export const progressBar = (stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) => {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return (text: string, share?: number): void => {
    if (!stream.isTTY || (text !== '' && performance.now() - drawnAt < 100)) return;
    drawnAt = performance.now();
    const bar = share === undefined ? '' : `[${'#'.repeat(24 * share).padEnd(24, '.')}] `;
    stream.write(`\r\u001b[K${bar}${text}`);
  };
};
