import { connect } from 'node:net';
import { PATIENT_MS } from '../../support/patience.js';

/** What came back before the server hung up. */
export interface Exchange {
  /** 0 where it hung up without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly ms: number;
}

const read = (received: Buffer, ms: number): Exchange => {
  const end = received.indexOf('\r\n\r\n');
  const head = (end < 0 ? received : received.subarray(0, end)).toString('latin1');
  const body = end < 0 ? '' : received.subarray(end + 4).toString();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body, ms };
};

/** Whether a response with a Content-Length is complete. */
const isComplete = ({ head, body }: Exchange, method: string): boolean => {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) return false;
  return method === 'HEAD' || Buffer.byteLength(body) >= Number(length);
};

/**
 * Sends one request that asks for the connection to be closed, and waits for the answer, or for
 * that; rejects if neither comes in time.
 */
export const exchange = (
  origin: string,
  bytes: Uint8Array,
  {
    method = '',
    patienceMs = PATIENT_MS,
  }: { readonly method?: string; readonly patienceMs?: number } = {},
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const began = performance.now();
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const soFar = () => read(Buffer.concat(received), performance.now() - began);
    const patience = setTimeout(() => {
      reject(new Error(`no answer within ${patienceMs} ms; so far: ${JSON.stringify(soFar())}`));
      socket.destroy();
    }, patienceMs);
    const finish = () => {
      clearTimeout(patience);
      resolve(soFar());
      // A reset leaves no port waiting: a flood would use them up.
      socket.resetAndDestroy();
    };
    socket.on('data', (chunk) => {
      received.push(chunk);
      if (isComplete(soFar(), method)) finish();
    });
    // A server may refuse to read on; what it answered before is what counts.
    socket.on('error', () => undefined);
    socket.on('close', finish);
  });
