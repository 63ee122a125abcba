import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopReading } from './stop-reading.js';

/**
 * Requests that may wait in this process, at about 3 KB each. One connection alone cannot have that many: it is not
 * read while it waits, and what Node reads at once, 64 KiB, holds 2,700 requests at most.
 */
export const MAX_WAITING = 10_000;

let waitingInAll = 0;

/** The requests of one connection that wait for the answers before theirs. Until they are started it is not read. */
class Line {
  readonly #socket: Socket;
  readonly #waiting = new Map<ServerResponse, () => void>();
  readonly #readOn: () => void;

  constructor(socket: Socket) {
    this.#socket = socket.on('close', this.#drop);
    this.#readOn = stopReading(socket);
  }

  /** `lost` is called if the connection goes before this response has left the line. */
  join(res: ServerResponse, lost: () => void): void {
    this.#waiting.set(res, lost);
    waitingInAll += 1;
  }

  /** Whether the response was in this line. */
  leave(res: ServerResponse): boolean {
    if (!this.#waiting.delete(res)) return false;
    waitingInAll -= 1;
    if (this.#waiting.size > 0) return true;
    lines.delete(this.#socket);
    this.#socket.off('close', this.#drop);
    this.#readOn();
    return true;
  }

  readonly #drop = (): void => {
    for (const [res, lost] of this.#waiting) {
      this.leave(res);
      lost();
    }
  };
}

const lines = new WeakMap<Socket, Line>();

const lineOf = (socket: Socket): Line => {
  const line = lines.get(socket) ?? new Line(socket);
  lines.set(socket, line);
  return line;
};

/**
 * Whether Node is still to send an earlier answer on this connection. A response gets its socket when its turn comes.
 * Nobody waits where nothing says that another response has the socket, as with what only imitates Node.
 */
const isBehindAnother = ({ socket }: IncomingMessage, res: ServerResponse): boolean =>
  res.socket === null && Boolean(socket && Reflect.get(socket, '_httpMessage'));

/** Whether the connection is gone. What only imitates Node may have none. */
export const isGone = ({ socket }: IncomingMessage): boolean => Boolean(socket?.destroyed);

const wait = (req: IncomingMessage, res: ServerResponse, start: () => void, lost: () => void): void => {
  const { socket } = req;
  if (waitingInAll >= MAX_WAITING) socket.destroy();
  if (socket.destroyed) {
    lost();
    return;
  }
  const line = lineOf(socket);
  line.join(res, lost);
  res.once('socket', () => {
    if (!line.leave(res)) return;
    // The answer before is told first that it is over. And in one turn of the event loop one request of a connection is
    // worked on: a client that has sent many at once is not to hold up all others until they are answered.
    setImmediate(() => (socket.destroyed ? lost() : start()));
  });
};

/**
 * Starts the work on a request once the requests before it on the same connection have been answered: Node hands over
 * all requests that a client has sent at once, and no client is to have more of them worked on by not waiting. `lost`
 * is called in place of `start` where the connection is gone, or is closed because too many wait.
 */
export const inTurn = (
  req: IncomingMessage,
  res: ServerResponse,
  start: () => void,
  lost: () => void = () => undefined,
): void => {
  if (isBehindAnother(req, res)) wait(req, res, start, lost);
  else if (isGone(req)) lost();
  else start();
};
