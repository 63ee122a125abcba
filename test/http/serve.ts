import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningServer } from './world.js';

const isAddress = (address: ReturnType<Server['address']>): address is AddressInfo =>
  typeof address === 'object' && address !== null;

/** A server that listens on a free port of this machine alone. */
const running = (server: Server): Promise<RunningServer> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (!isAddress(address)) {
        reject(new Error('the server has no address'));
        return;
      }
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ origin: `http://127.0.0.1:${address.port}`, close });
    });
  });

export const listening = (listener: RequestListener): Promise<RunningServer> =>
  running(createServer(listener));
