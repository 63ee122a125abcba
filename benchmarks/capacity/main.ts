import { writeFileSync } from 'node:fs';
import { describeMachine, loadBefore } from '../harness/machine.js';
import { loadCluster } from './cluster.js';
import { spread } from './partitions.js';
import { serverTimes } from './server-time.js';

/** Prints and saves what the capacity model in the README of the benchmarks is worked out from. */

const load = await loadBefore();
const { times, info } = await serverTimes();
console.log('server time and bytes a call');
for (const { operation, us, received, sent } of times) {
  console.log(
    `  ${operation.padEnd(20)} ${us.toFixed(1)} us, ${received.toFixed(0)} bytes in, ${sent.toFixed(0)} out`,
  );
}

console.log('tenants over shards');
const evenness = [
  ...[1, 3, 16, 64, 256, 1024, 4096, 16_384].map((partitions) => spread(100_000, partitions, 3)),
  ...[64, 256, 1024, 4096, 16_384].map((partitions) => spread(100_000, partitions, 30)),
  ...[256, 1024, 4096, 16_384].map((partitions) => spread(1_000_000, partitions, 300)),
];
for (const { tenants, partitions, shards, fullestShard, emptyShards, largestTenant } of evenness) {
  console.log(
    `  ${tenants} tenants, ${partitions} partitions, ${shards} shards: fullest ${fullestShard.toFixed(2)} of the mean, ` +
      `${emptyShards} empty, largest tenant ${(100 * largestTenant).toFixed(1)} %`,
  );
}

console.log('three masters on loopback');
const cluster = await loadCluster([1, 3, 64]);
for (const { partitions, callsPerSecond, shares, errors } of cluster) {
  const parts = shares.map((share) => `${(100 * share).toFixed(0)} %`).join(', ');
  console.log(
    `  ${partitions} partitions: ${callsPerSecond} calls a second, shared ${parts}, ${errors} errors`,
  );
}

const machine = describeMachine(info, ['ioredis'], load);
const date = new Date().toISOString();
const file = `benchmarks/results/${date.slice(0, 10)}-capacity.json`;
writeFileSync(
  file,
  `${JSON.stringify({ version: 1, date, machine, times, evenness, cluster }, null, 1)}\n`,
);
console.log(`saved in ${file}`);
