import { onTestFinished } from 'vitest';
import { openNetwork } from '../../support/network.js';
import { openClient, type TestClient } from '../../support/redis-clients.js';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedis,
} from '../../support/redis-server.js';

/** A server of its own that can fall silent and come back. */
export interface Outage {
  readonly server: RedisServer;
  /** From here on the server is silent, or slow. */
  begin(): Promise<void>;
  /**
   * Ends when the server can be reached again, and not before `begin` is `PAUSE_MS` ago where that
   * ends by itself.
   */
  end(): Promise<void>;
}

/** A server that holds back all of its clients takes no command to end that. */
const PAUSE_MS = 800;

const start = async (options: RedisServerOptions = {}): Promise<RedisServer> => {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
};

const withControl = async (): Promise<{
  readonly server: RedisServer;
  readonly control: TestClient;
}> => {
  const server = await start();
  return { server, control: openClient('ioredis 5', { port: server.port }) };
};

const pausedWhole = async (): Promise<Outage> => {
  const { server, control } = await withControl();
  return {
    server,
    begin: async () => {
      await control.call('CLIENT', 'PAUSE', String(PAUSE_MS), 'ALL');
    },
    end: async () => {
      await control.call('PING');
    },
  };
};

const pausedForWrites = async (): Promise<Outage> => {
  const { server, control } = await withControl();
  return {
    server,
    begin: async () => {
      await control.call('CLIENT', 'PAUSE', '600000', 'WRITE');
    },
    end: async () => {
      await control.call('CLIENT', 'UNPAUSE');
    },
  };
};

const stopped = async (): Promise<Outage> => {
  const server = await start();
  return {
    server,
    begin: async () => {
      process.kill(server.pid, 'SIGSTOP');
    },
    end: async () => {
      process.kill(server.pid, 'SIGCONT');
    },
  };
};

/**
 * Another client's script takes 200 ms, again and again, and other clients are served in between.
 */
const slow = async (): Promise<Outage> => {
  const { server, control } = await withControl();
  const script = `
local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
local begin = now()
repeat until now() - begin > 200`;
  let isSlow = false;
  let busy = Promise.resolve();
  const keepBusy = async (): Promise<void> => {
    while (isSlow) await control.call('EVAL', script, '0');
  };
  return {
    server,
    begin: async () => {
      isSlow = true;
      busy = keepBusy();
    },
    end: async () => {
      isSlow = false;
      await busy;
    },
  };
};

const cutOff = async (): Promise<Outage> => {
  const network = openNetwork();
  onTestFinished(() => network.close());
  const { host, within } = network;
  const server = await start({ host, within, args: ['--protected-mode', 'no'] });
  return { server, begin: async () => network.cut(), end: async () => network.mend() };
};

/** What the network must support, which some machines do not. */
export const OF_NETWORKS = 'the network is cut';

export const outages: Readonly<Record<string, () => Promise<Outage>>> = {
  'CLIENT PAUSE of everything': pausedWhole,
  'CLIENT PAUSE of writes': pausedForWrites,
  'the server is stopped (SIGSTOP)': stopped,
  'the server is busy for 200 ms at a time': slow,
  [OF_NETWORKS]: cutOff,
};
