import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePortPair } from './free-port.js';
import { PATIENT_MS } from './patience.js';
import { type RedisAddress, type RedisServer, startRedis } from './redis-server.js';

export interface RedisCluster {
  /** The masters; a client may connect to any of them. */
  readonly nodes: readonly RedisServer[];
  /** In the order of their masters; empty by default. */
  readonly replicas: readonly RedisServer[];
  stop(): Promise<void>;
}

export interface RedisClusterOptions {
  /** Replicas of each master. */
  readonly replicas?: number;
  readonly args?: readonly string[];
}

const SLOTS = 16_384;
const BUS_OFFSET = 10_000;

/**
 * Starts a Redis Cluster whose masters share the slots evenly, and waits until every master reports
 * `ok`.
 */
export async function startCluster(
  size = 3,
  options: RedisClusterOptions = {},
): Promise<RedisCluster> {
  const started: RedisServer[] = [];
  const stop = async () => {
    await Promise.all(started.map((node) => node.stop()));
  };
  const startNodes = async (count: number): Promise<readonly RedisServer[]> => {
    const first = started.length;
    // Started sequentially, so that no two servers get the same free port.
    for (let node = 0; node < count; node += 1) started.push(await startNode(options.args ?? []));
    return started.slice(first);
  };
  try {
    const nodes = await startNodes(size);
    const replicas = await startNodes(size * (options.replicas ?? 0));
    await join(nodes, replicas);
    return { nodes, replicas, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(args: readonly string[]): Promise<RedisServer> {
  const port = await freePortPair(BUS_OFFSET);
  return startRedis({
    port,
    args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...args],
  });
}

async function join(
  nodes: readonly RedisAddress[],
  replicas: readonly RedisAddress[],
): Promise<void> {
  const all = [...nodes, ...replicas];
  const clients = all.map(({ host, port }) => new Redis({ host, port }));
  const masters = clients.slice(0, nodes.length);
  try {
    await Promise.all(masters.map((client, index) => takeSlots(client, index, nodes.length)));
    const [first] = masters;
    for (const { host, port } of all.slice(1)) await first?.call('CLUSTER', 'MEET', host, port);
    await Promise.all(clients.map((client) => isWhole(client, all.length)));
    const followers = clients.slice(nodes.length);
    await Promise.all(
      followers.map((client, index) => follow(client, masters[index % masters.length])),
    );
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function follow(replica: Redis, master: Redis | undefined): Promise<void> {
  await replica.call('CLUSTER', 'REPLICATE', String(await master?.call('CLUSTER', 'MYID')));
  await until('the replica is in step', async () =>
    (await replica.info('replication')).includes('link_status:up'),
  );
}

async function takeSlots(client: Redis, index: number, size: number): Promise<void> {
  const from = Math.floor((index * SLOTS) / size);
  const end = Math.floor(((index + 1) * SLOTS) / size);
  // Give each master its epoch: otherwise they first have to agree on an order.
  await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  await client.call(
    'CLUSTER',
    'ADDSLOTS',
    ...Array.from({ length: end - from }, (_, slot) => from + slot),
  );
}

async function isWhole(client: Redis, size: number): Promise<void> {
  await until('the cluster is whole', async () => {
    const info = String(await client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}\r`);
  });
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not in ${PATIENT_MS} ms: ${what}`);
    await sleep(50);
  }
}
