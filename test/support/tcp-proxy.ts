import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { LOOPBACK } from './free-port.js';

/** A proxy that is closed after the test. */
export interface TcpProxy {
  readonly port: number;
  /** Accepts and drops everything, on old and new connections. */
  silence(): void;
  /** Cuts all connections, and forwards new ones. */
  speak(): void;
  /**
   * Forwards the next request that contains `command`, but drops its reply and cuts the connection
   * after `beforeLoss`.
   */
  loseReply(command: string, beforeLoss?: () => Promise<unknown>): Promise<void>;
}

export type Rewrite = (answer: Buffer, end: () => void) => Buffer;

interface Loss {
  readonly command: string;
  readonly beforeLoss: () => Promise<unknown>;
  readonly done: () => void;
  readonly failed: (cause: unknown) => void;
}

/** Forwards requests, and replies after `rewrite`, which may end the connection. */
export async function openProxy(
  target: number,
  rewrite: Rewrite = (answer) => answer,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  let loss: Loss | undefined;

  const server = createServer((client) => {
    const upstream = connect(target, LOOPBACK);
    let losing: Loss | undefined;
    let lost = false;
    client.on('data', (chunk) => {
      if (silent || lost) return;
      if (loss !== undefined && chunk.includes(loss.command)) {
        losing = loss;
        loss = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (silent || lost) return;
      if (losing === undefined) {
        client.write(rewrite(chunk, () => setImmediate(() => client.end())));
        return;
      }
      lost = true;
      const { beforeLoss, done, failed } = losing;
      beforeLoss().then(() => {
        client.destroy();
        done();
      }, failed);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    cut();
  });

  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    silence: () => {
      silent = true;
    },
    speak: () => {
      silent = false;
      cut();
    },
    loseReply: (command, beforeLoss = async () => {}) =>
      new Promise((done, failed) => {
        loss = { command, beforeLoss, done, failed };
      }),
  };
}
