import { OUR_KEY } from './served.js';

/** Bytes that two parsers could read as different requests, or as none. */
export interface Shape {
  readonly name: string;
  readonly bytes: string;
  /** How many answers of success there are to be. */
  readonly carriedOut: number;
}

const KEY = `X-API-KEY: ${OUR_KEY}\r\n`;
const head = (...lines: readonly string[]): string =>
  `POST /create-session HTTP/1.1\r\nHost: x\r\n${KEY}Content-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

const body = '{"face":"ada","profile":"tutor"}';
const hidden = '{"face":"smuggled","profile":"tutor"}';

/** A whole request of ours, to be hidden within another. */
const smuggled = `${head(`Content-Length: ${hidden.length}`, 'Connection: close')}${hidden}`;

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = `${chunk(body)}0\r\n\r\n`;
const LENGTH = `Content-Length: ${body.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

const refused = (name: string, bytes: string): Shape => ({
  name,
  bytes: bytes + smuggled,
  carriedOut: 0,
});

const lengths = [
  '+32',
  '-1',
  '0x20',
  '32, 32',
  '32,33',
  '3 2',
  '1e1',
  '',
  '\u0009',
  '99999999999999999999999',
  '32;',
];
const codings = [
  'identity',
  'xchunked',
  'chunked, identity',
  'chunked;q=1',
  '"chunked"',
  'chunked\u000b',
  'gzip, x',
];
const sizes = [
  '0x20',
  '-20',
  '+20',
  ' 20',
  '20 20',
  '2_0',
  '',
  'g',
  '20\t',
  'ffffffffffffffffff',
  '20;\0',
];

/** Shapes that must be rejected completely, so that nothing after them is read as a request. */
export const refusedShapes: readonly Shape[] = [
  refused('a length and chunks', head(LENGTH, CHUNKED) + chunked),
  refused('chunks and a length', head(CHUNKED, LENGTH) + chunked),
  refused('chunks and a length of zero', head(CHUNKED, 'Content-Length: 0') + chunked),
  refused('two lengths', head(LENGTH, 'Content-Length: 0') + body),
  refused('the same length twice', head(LENGTH, LENGTH) + body),
  refused('chunked twice, and then not', head(CHUNKED, 'Transfer-Encoding: identity') + chunked),
  refused('a space before the colon', head('Transfer-Encoding : chunked') + chunked),
  refused('a folded coding', head('Transfer-Encoding:\r\n chunked', LENGTH) + chunked),
  refused('a name with a NUL', head('Content\0-Length: 1', LENGTH) + body),
  refused('a line of the head without a colon', head('Content-Length', LENGTH) + body),
  refused('a bare carriage return', head('X: 1\rTransfer-Encoding: chunked', LENGTH) + body),
  refused(
    'a first line with another first line in it',
    `POST /create-session HTTP/1.1 HTTP/1.1\r\n${KEY}\r\n`,
  ),
  refused('another version', head(LENGTH).replace('HTTP/1.1', 'HTTP/3.7') + body),
  refused('no version', '\r\nPOST /create-session\r\n\r\n'),
  refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  refused('a command of Redis', '*1\r\n$8\r\nFLUSHALL\r\n'),
  ...lengths.map((length) =>
    refused(`a length of ${JSON.stringify(length)}`, head(`Content-Length: ${length}`) + body),
  ),
  ...codings.map((coding) =>
    refused(
      `a coding of ${JSON.stringify(coding)}`,
      head(`Transfer-Encoding: ${coding}`) + chunked,
    ),
  ),
  ...sizes.map((size) =>
    refused(
      `a chunk of ${JSON.stringify(size)}`,
      `${head(CHUNKED)}${size}\r\n${body}\r\n0\r\n\r\n`,
    ),
  ),
  refused('a chunk that is longer than it says', `${head(CHUNKED)}5\r\n${body}\r\n0\r\n\r\n`),
  refused(
    'a very long extension of a chunk',
    `${head(CHUNKED)}20;${'x=y;'.repeat(8000)}\r\n${body}\r\n0\r\n\r\n`,
  ),
  refused('a head that is too long', head(`X: ${'x'.repeat(20_000)}`, LENGTH) + body),
  refused(
    'a head of too many lines',
    head(...Array.from({ length: 5000 }, (_, at) => `X-${at}: 1`), LENGTH) + body,
  ),
];

const CLOSE = 'Connection: close';

/**
 * Shapes that look odd but are one request: what follows the head is its body, whatever it looks
 * like.
 */
export const singleShapes: readonly Shape[] = [
  {
    name: 'a request in the body of another that ignores it',
    bytes: `GET /sessions HTTP/1.1\r\nHost: x\r\n${KEY}${CLOSE}\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    carriedOut: 1,
  },
  {
    name: 'a request in a chunk',
    bytes: `${head(CHUNKED, CLOSE)}${chunk(smuggled)}0\r\n\r\n`,
    carriedOut: 0,
  },
  {
    name: 'a request in the extension of a chunk',
    bytes: `${head(CHUNKED, CLOSE)}${body.length.toString(16)};x="POST /create-session"\r\n${body}\r\n0\r\n\r\n`,
    carriedOut: 1,
  },
  {
    name: 'a key after the body alone',
    bytes: `${head(CHUNKED, CLOSE, 'Trailer: X-API-KEY').replace(KEY, '')}${chunk(body)}0\r\n${KEY}\r\n`,
    carriedOut: 0,
  },
  {
    name: 'a request after one that closes the connection',
    bytes: `${head(LENGTH, CLOSE)}${body}${smuggled}`,
    carriedOut: 0,
  },
  {
    name: 'two keys',
    bytes: `${head(LENGTH, CLOSE, `X-API-KEY: ${OUR_KEY}`)}${body}`,
    carriedOut: 0,
  },
  {
    name: 'an expectation that nobody knows',
    bytes: `${head(LENGTH, CLOSE, 'Expect: 200-ok')}${body}`,
    carriedOut: 0,
  },
];
