import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { freePort, LOOPBACK } from './free-port.js';

export interface WebSocketProxy {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Forwards the bytes of each WebSocket to a local port and back, like the proxy of a hosted
 * database.
 */
export const openWebSocketProxy = async (target: number): Promise<WebSocketProxy> => {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket) => {
    const incoming = createWebSocketStream(socket);
    const server = connect(target, LOOPBACK);
    incoming.on('error', () => server.destroy());
    server.on('error', () => incoming.destroy());
    incoming.pipe(server).pipe(incoming);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => http.listen(port, LOOPBACK, resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await new Promise((resolve) => http.close(resolve));
  };
  return { port, close };
};
