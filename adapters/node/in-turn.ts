import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import { stopReading } from './stop-reading.js';

/**
 * Maximum number of waiting requests in this process, at about 3 KB each. One connection alone
 * cannot reach it: a connection is not read while its requests wait, and one read of Node, 64 KiB,
 * contains at most 2,700 requests.
 */
export const MAX_WAITING = 10_000;

let waitingCount = 0;

/**
 * The requests of one connection that wait for earlier responses. The connection is not read while
 * they wait.
 */
class RequestQueue {
  readonly #socket: Socket;
  readonly #waiting = new Map<ServerResponse, () => void>();
  readonly #readOn: () => void;

  constructor(socket: Socket) {
    this.#socket = socket.on('close', this.#drop);
    this.#readOn = stopReading(socket);
  }

  /** Calls `lost` if the connection is lost while the response waits. */
  join(res: ServerResponse, lost: () => void): void {
    this.#waiting.set(res, lost);
    waitingCount += 1;
  }

  leave(res: ServerResponse): boolean {
    if (!this.#waiting.delete(res)) return false;
    waitingCount -= 1;
    if (this.#waiting.size > 0) return true;
    queues.delete(this.#socket);
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

const queues = new WeakMap<Socket, RequestQueue>();

const queueOf = (socket: Socket): RequestQueue => {
  const queue = queues.get(socket) ?? new RequestQueue(socket);
  queues.set(socket, queue);
  return queue;
};

/**
 * Whether Node must still send an earlier response on this connection: a response has no socket
 * until its turn comes. If nothing shows that another response has the socket, as in imitations of
 * Node, the request does not wait.
 */
const isBehindAnother = ({ socket }: IncomingMessage, res: ServerResponse): boolean =>
  res.socket === null && Boolean(socket && Reflect.get(socket, '_httpMessage'));

/** Whether the connection is gone. Imitations of Node may have none. */
export const isGone = ({ socket }: IncomingMessage): boolean => Boolean(socket?.destroyed);

const wait = (
  req: IncomingMessage,
  res: ServerResponse,
  start: () => void,
  lost: () => void,
): void => {
  const { socket } = req;
  if (waitingCount >= MAX_WAITING) socket.destroy();
  if (socket.destroyed) {
    lost();
    return;
  }
  const queue = queueOf(socket);
  queue.join(res, lost);
  res.once('socket', () => {
    if (!queue.leave(res)) return;
    // Runs after the listeners of the previous response, and starts one request of a connection per
    // turn of the event loop, so that a client that pipelines many requests does not delay others.
    inLaterTurn(() => {
      if (socket.destroyed) lost();
      else start();
    });
  });
};

/**
 * Starts a request when the earlier requests on the same connection are answered: Node emits all
 * pipelined requests together, and pipelining must not give a client a larger share. Calls `lost`
 * instead of `start` if the connection is gone, or is closed because too many requests wait.
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
