import fc from 'fast-check';
import { send } from '../../http/client.js';
import { RawConnection } from '../../http/raw.js';
import { exchange } from './exchange.js';
import { requests } from './requests.js';

/** The result of a flood. */
export interface FloodOutcome {
  readonly answered: number;
  /** Answers of 500 and above, and requests without one. */
  readonly failed: readonly string[];
  readonly served: number;
  /** Answers to the well-behaved that were not what they had to be. */
  readonly wrong: readonly string[];
}

const PATIENCE_MS = 300_000;
const KINDS = 5;

/**
 * Sends all concurrently: whole requests of all kinds, half ones that stay, and clients that leave.
 */
const strangers = async (origin: string, count: number, seed: number) => {
  const sent = fc.sample(requests(['none']), { seed, numRuns: Math.min(count, 1000) });
  const failed: string[] = [];
  const halves: RawConnection[] = [];
  let answered = 0;
  const flood = Array.from({ length: count }, async (_, at) => {
    const { bytes, method, target } = sent[at % sent.length] ?? {
      bytes: Buffer.from(''),
      method: '',
      target: '',
    };
    if (at % KINDS < 2) {
      const connection = new RawConnection(origin);
      connection.write(bytes.subarray(0, Math.floor(bytes.length * 0.7)));
      if (at % KINDS === 0) halves.push(connection);
      else connection.destroy();
      return;
    }
    const { status } = await exchange(origin, bytes, { method, patienceMs: PATIENCE_MS });
    answered += 1;
    if (status === 0 || status >= 500) failed.push(`${status}: ${method} ${target}`);
  });
  await Promise.all(flood);
  for (const connection of halves) connection.destroy();
  await Promise.all(halves.map((connection) => connection.closed()));
  return { answered, failed };
};

/** A client that creates, reads and lists, and checks every answer until the end. */
const regular = async (origin: string, key: string, name: string, isOver: () => boolean) => {
  const wrong: string[] = [];
  let served = 0;
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' };
  while (!isOver() || served === 0) {
    const face = `${name}-${served}`;
    const body = JSON.stringify({ face, profile: 'tutor' });
    const created = await send(origin, '/create-session', { method: 'POST', headers, body });
    const found = await send(origin, String(created.headers['location']), { headers });
    const listed = await send(origin, '/sessions?limit=5', { headers });
    if (created.status !== 201) wrong.push(`create: ${created.status}`);
    if (!found.text.includes(`"face":"${face}"`)) wrong.push(`get: ${found.status} ${found.text}`);
    if (!listed.text.includes(`"face":"${face}"`)) wrong.push(`list: ${listed.status}`);
    served += 3;
  }
  return { served, wrong };
};

/** A flood of so many concurrent requests, and one client for each of these keys. */
export const flood = async (
  origin: string,
  {
    count,
    keys,
    seed,
  }: { readonly count: number; readonly keys: readonly string[]; readonly seed: number },
): Promise<FloodOutcome> => {
  let over = false;
  const clients = keys.map((key, at) => regular(origin, key, `regular-${at}`, () => over));
  const { answered, failed } = await strangers(origin, count, seed);
  over = true;
  const regulars = await Promise.all(clients);
  return {
    answered,
    failed,
    served: regulars.reduce((sum, { served }) => sum + served, 0),
    wrong: regulars.flatMap(({ wrong }) => wrong),
  };
};
