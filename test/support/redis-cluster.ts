import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePortPair } from './free-port.js';
import { type RedisAddress, type RedisServer, startRedis } from './redis-server.js';

export interface RedisCluster {
  /** The masters, each of them an entry point to the whole. */
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const BUS_OFFSET = 10_000;
const READY_WITHIN_MS = 20_000;

/** Starts a Redis Cluster of masters that share the slots evenly, and waits until every one of them says it is whole. */
export async function startCluster(size = 3): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    // One after the other, so that no two of them are offered the same free port.
    for (let node = 0; node < size; node += 1) nodes.push(await startNode());
    await join(nodes);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(): Promise<RedisServer> {
  const port = await freePortPair(BUS_OFFSET);
  return startRedis({ port, args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] });
}

async function join(nodes: readonly RedisAddress[]): Promise<void> {
  const clients = nodes.map(({ host, port }) => new Redis({ host, port }));
  try {
    await Promise.all(clients.map((client, index) => takeSlots(client, index, nodes.length)));
    const [first] = clients;
    for (const { host, port } of nodes.slice(1)) await first?.call('CLUSTER', 'MEET', host, port);
    await Promise.all(clients.map((client) => isWhole(client, nodes.length)));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function takeSlots(client: Redis, index: number, size: number): Promise<void> {
  const from = Math.floor((index * SLOTS) / size);
  const end = Math.floor(((index + 1) * SLOTS) / size);
  // Without an epoch of its own each, masters that meet first have to settle their order.
  await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  await client.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: end - from }, (_, slot) => from + slot));
}

async function isWhole(client: Redis, size: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const info = String(await client.call('CLUSTER', 'INFO'));
    if (info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}\r`)) return;
    if (Date.now() > deadline) throw new Error(`the cluster is not whole:\n${info}`);
    await sleep(50);
  }
}
