import { connect } from 'node:net';

/**
 * `large-pages-attack.cjs PORT LIMIT`: fifty connections, each of which pipelines four hundred
 * requests for a page, reads the answers and starts again. Exits when its parent disconnects.
 */
const CONNECTIONS = 50;
const PIPELINED = 400;
const STATUS_LINE = Buffer.from('HTTP/1.1 ');

const [port = '', limit = ''] = process.argv.slice(2);
const request =
  `GET /sessions?limit=${limit} HTTP/1.1\r\nHost: x\r\nX-API-KEY: large\r\n\r\n`.repeat(PIPELINED);

const attack = (): void => {
  const socket = connect(Number(port), '127.0.0.1');
  let waiting = 0;
  const ask = (): void => {
    if (waiting > 0) return;
    waiting = PIPELINED;
    socket.write(request);
  };
  socket.on('connect', ask).on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(STATUS_LINE); at >= 0; at = chunk.indexOf(STATUS_LINE, at + 1))
      waiting -= 1;
    ask();
  });
};

for (let at = 0; at < CONNECTIONS; at += 1) attack();
process.on('disconnect', () => process.exit(0));
