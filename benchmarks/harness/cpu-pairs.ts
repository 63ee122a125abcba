import { serverCpu, usBetween } from './server-cpu.js';
import { spreadOf } from './statistics.js';

/** How often, and by how many callers, a call is made. */
interface Load {
  readonly callers: number;
  readonly calls: number;
  /** A server whose CPU counts too. */
  readonly pid?: number | undefined;
}

/** Microseconds of CPU that a call costs. `call` gets its number. */
export const cpuOf = async (
  call: (number: number) => unknown,
  { callers, calls, pid }: Load,
): Promise<number> => {
  const before = pid === undefined ? new Map() : serverCpu(pid);
  const began = process.cpuUsage();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < calls) {
      next += 1;
      await call(next);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(began);
  const ofServer = pid === undefined ? 0 : usBetween(before, serverCpu(pid));
  return (user + system + ofServer) / calls;
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The medians of two costs, and the costs of one divided by those of the other, in pairs. */
export const comparedInPairs = (costs: readonly number[], base: readonly number[]) => {
  const ratio = spreadOf(costs.map((cost, at) => cost / (base[at] ?? 1)));
  return {
    us: rounded(spreadOf(costs).median, 1),
    baseUs: rounded(spreadOf(base).median, 1),
    ratio: rounded(ratio.median, 3),
    quartiles: [ratio.lower, ratio.upper].map((value) => rounded(value, 3)),
  };
};
