import type { Readable } from 'node:stream';

/**
 * The lines of a text, divided by line feeds alone. The readline of newer Nodes also divides at U+2028, which may stand
 * in a JSON string as it is (RFC 8259, 7).
 */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const [first = '', ...more] = String(chunk).split('\n');
    rest += first;
    for (const line of more) {
      yield rest;
      rest = line;
    }
  }
  if (rest !== '') yield rest;
}
