import { afterAll, describe, expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions } from '../../support/redis-clients.js';
import { effort, record } from '../support/effort.js';
import { type Base, logOf, type Torn } from './torn-log.js';
import { abandoned, type Remains, recover, repeated, repeatedLate, resent } from './torn-trials.js';
import { type Write, writes } from './torn-writes.js';

/**
 * Every so many bytes; what is in front of the tail makes no difference to it, so one base is
 * enough for all bytes.
 */
const kinds: readonly { readonly base: Base; readonly events: boolean; readonly step: number }[] =
  effort(
    [{ base: 'rdb', events: true, step: 999 }],
    [
      { base: 'rdb', events: true, step: 1 },
      { base: 'rdb', events: false, step: 1 },
      { base: 'aof', events: true, step: 29 },
    ],
  );
const AT_ONCE = 3;
const chosen = writes.filter(({ isShort }) => effort(isShort, true));

/** Does something for each of the items, a few at a time. */
const forEach = async <T>(items: Iterable<T>, task: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items].values();
  const work = async () => {
    for (const item of left) await task(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

describeWithRedis('a torn Redis log', () => {
  describe.each(kinds)(
    'inside a write, every $step bytes, on a base of $base, events: $events',
    (kind) => {
      const { base, events, step } = kind;
      const sums = { cuts: 0, outcomes: 0, halves: 0, losses: 0, entries: 0, ghosts: 0 };

      afterAll(() => {
        const of = `base of ${base}, ${events ? 'with events' : 'without events'}`;
        const tell = (figure: string, value: number, bar?: string): void =>
          record({
            promise: 'a torn log leaves no half of a write',
            figure: `${figure}, ${of}`,
            value,
            ...(bar === undefined ? {} : { bar }),
          });
        tell('kinds of write', chosen.length);
        tell('bytes at which a log was cut', sums.cuts);
        tell('of these, neither before nor after the write', sums.halves, '0');
        tell('outcomes that were followed through a second crash', sums.outcomes);
        tell('lost, doubled or by half after that', sums.losses, '0');
        tell('of these, abandoned writes that left entries for a repair', sums.entries);
        tell('events of changes that nobody was told of', sums.ghosts);
      });

      const promise = '$name: is stored completely or not at all, and no later write is lost';
      const expectWhole = async (write: Write): Promise<void> => {
        const [version = 'ioredis 5', other = version] = clientVersions;
        const log = await logOf(write, base, events, version);
        const cuts = Array.from({ length: log.to - log.from + 1 }, (_, at) => log.from + at).filter(
          (cut) => (cut - log.from) % step === 0 || cut >= log.to - 1,
        );
        const tornAt = (cut: number): Torn => ({
          ...log,
          cut,
          version: cut % 2 === 0 ? version : other,
        });
        const halves: string[] = [];
        const losses: string[] = [];
        const watch = async (
          found: string[],
          what: string,
          cut: number,
          trial: Promise<unknown>,
        ): Promise<void> => {
          await trial.catch((error: unknown) =>
            found.push(`${what}, ${cut - log.from} bytes in: ${messageOf(error)}`),
          );
        };
        const count = async (trial: Promise<Remains>): Promise<void> => {
          const { entries, ghosts } = await trial;
          sums.entries += Number(entries > 0);
          sums.ghosts += ghosts;
        };
        const cutOf = new Map<string, number>();
        await forEach(cuts, async (cut) => {
          const recovery = recover(write, log, tornAt(cut), (outcome) => cutOf.has(outcome));
          await watch(
            halves,
            'recovered',
            cut,
            recovery.then((outcome) => cutOf.set(outcome, cut)),
          );
        });
        // What follows is the same for all cuts of which the server makes the same.
        await forEach(cutOf.values(), async (cut) => {
          const follow = (what: string, trial: Promise<Remains>) =>
            watch(losses, what, cut, count(trial));
          await follow('abandoned', abandoned(write, log, tornAt(cut)));
          await follow('sent again', resent(log, tornAt(cut)));
          if (!write.isRepeatable) return;
          await follow('repeated', repeated(write, log, tornAt(cut)));
          await follow('repeated late', repeatedLate(write, log, tornAt(cut)));
        });
        sums.cuts += cuts.length;
        sums.outcomes += cutOf.size;
        sums.halves += halves.length;
        sums.losses += losses.length;
        expect({ halves, losses }).toEqual({ halves: [], losses: [] });
        expect(cutOf.size).toBeGreaterThan(1);
      };
      test.each(chosen)(promise, expectWhole, effort(120_000, 600_000));
    },
  );
});
