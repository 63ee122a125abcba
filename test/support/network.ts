import { execFileSync, spawn } from 'node:child_process';

/** A network namespace with one virtual cable to this machine, which can be cut. */
export interface Network {
  /** Address of programs in the namespace. */
  readonly host: string;
  /** Command prefix that runs a program in the namespace. */
  readonly within: readonly string[];
  /** Cuts the cable: packets are dropped silently. */
  cut(): void;
  mend(): void;
  close(): void;
}

let networks = 0;

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: 'pipe' });
};

/** Addresses that are set aside for tests of networks (RFC 2544), four for each network. */
const addressesOf = (number: number): readonly [ours: string, theirs: string] => {
  const first = (number % 32_768) * 4;
  const address = (at: number) => `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
  return [address(first + 1), address(first + 2)];
};

export const openNetwork = (): Network => {
  networks += 1;
  const name = `colloquy-${process.pid}-${networks}`;
  const [cable, plug] = [`cq${process.pid}-${networks}`, `cr${process.pid}-${networks}`];
  const [ours, theirs] = addressesOf(process.pid * 4 + networks);
  ip('netns', 'add', name);
  // A killed test run does not close the network. The shell then reads the end of its input.
  const script = 'read -r _; ip netns del "$0" 2>/dev/null';
  const guard = spawn('sh', ['-c', script, name], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const close = (): void => {
    ip('netns', 'del', name);
    guard.kill('SIGKILL');
  };
  try {
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', plug, 'netns', name);
    ip('address', 'add', `${ours}/30`, 'dev', cable);
    ip('link', 'set', cable, 'up');
    ip('-n', name, 'address', 'add', `${theirs}/30`, 'dev', plug);
    ip('-n', name, 'link', 'set', plug, 'up');
  } catch (error) {
    close();
    throw error;
  }
  return {
    host: theirs,
    within: ['ip', 'netns', 'exec', name],
    cut: () => ip('-n', name, 'link', 'set', plug, 'down'),
    mend: () => ip('-n', name, 'link', 'set', plug, 'up'),
    close,
  };
};

/** Whether this machine allows network namespaces: Linux, with `ip`, as root. */
export const networksAvailable = (): boolean => {
  try {
    openNetwork().close();
    return true;
  } catch {
    return false;
  }
};
