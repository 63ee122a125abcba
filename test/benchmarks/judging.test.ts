import { describe, expect, it } from 'vitest';
import { judge } from '../../benchmarks/bars.js';
import { BARE, ENGINE, FAIR, fairGroup } from '../../benchmarks/fair-figures.js';
import { fairTable } from '../../benchmarks/fair-table.js';
import { measure } from '../../benchmarks/harness/measure.js';
import { spreadOf } from '../../benchmarks/harness/statistics.js';
import { machineOf, type Results } from '../../benchmarks/results.js';
import { sessionsPerGigabyte } from '../../benchmarks/space-figures.js';
import { groupOf, listFigures, storeTable } from '../../benchmarks/store-figures.js';

const spread = (median: number) => ({ median, lower: median, upper: median });

const JOINED = 'GET of the joined page, JSON.parse';

const results = (ratio: number, roundTrips: number): Results => ({
  version: 2,
  date: '2026-01-31T18:00:02.000Z',
  kind: 'full',
  machine: {
    cpu: '',
    cores: 2,
    memoryGiB: 1,
    system: '',
    node: '',
    redis: '',
    packages: {},
    commit: '',
  },
  effort: { rounds: 1, roundMs: 1 },
  groups: [
    {
      group: 'redis list, any page of 10, 10 entries',
      callers: 32,
      limits: [JOINED],
      measurements: [
        {
          subject: 'list',
          wallUs: spread(1),
          cpuUs: spread(1),
          ratios: { [JOINED]: { wall: spread(ratio), cpu: spread(1) } },
        },
      ],
    },
  ],
  counts: [{ figure: 'round trips of one Redis list', value: roundTrips, unit: 'flights' }],
});

describe('a benchmark limit', () => {
  it.each([
    [0.52, 2, [true, true]],
    [0.51, 3, [false, false]],
  ])('is reached or missed: ratio %s, %s round trips', (ratio, roundTrips, expected) => {
    expect(judge(results(ratio, roundTrips)).map(({ reached }) => reached)).toEqual(expected);
  });

  it('is only judged if it was measured', () => {
    expect(judge({ ...results(1, 1), groups: [] })).toHaveLength(1);
  });
});

describe('the store table', () => {
  it('shows the rate, the latency, and the ratio to the rate by hand', () => {
    const figure = listFigures.first;
    const measurement = {
      subject: figure.subject,
      wallUs: spread(250),
      cpuUs: spread(200),
      latencyUs: { p50: spread(240), p99: spread(1234) },
      ratios: { [figure.limit]: { wall: spread(0.714), cpu: spread(1) } },
    };
    const group = {
      group: groupOf('SQLite', figure),
      callers: 1,
      limits: [figure.limit],
      measurements: [measurement],
    };
    const table = storeTable({ ...results(1, 1), groups: [group] }, [figure]);
    expect(table).toContain(
      '| page 1 of 1,000,000 sessions | - | - | 4,000, p50 240 us, p99 1.2 ms, 0.71 of by hand | - |',
    );
    expect(judge({ ...results(1, 1), groups: [group] }).map(({ figure: name }) => name)).toContain(
      'SQLite list of 1,000,000 sessions, page 1, of the query by hand',
    );
  });
});

describe('the fair comparison', () => {
  it('judges the CPU time of an append beside the same guarantees by hand', () => {
    const ratios = { [FAIR]: { wall: spread(0.1), cpu: spread(0.2), least: 0.7 } };
    const group = {
      group: fairGroup('Redis', 'append', 'never'),
      callers: 1,
      limits: [FAIR],
      measurements: [{ subject: ENGINE, wallUs: spread(1), cpuUs: spread(1), ratios }],
    };
    const judged = judge({ ...results(1, 1), groups: [group], counts: [] });
    expect(judged).toEqual([
      {
        figure: 'Redis append, 1 caller: CPU of the same guarantees by hand',
        bar: '>= 0.65',
        value: 0.7,
        reached: true,
      },
    ]);
  });
});

describe('the table of writes with the same guarantees', () => {
  it('shows the rate, and the ratios to both rates by hand', () => {
    const ratioOf = (wall: number) => ({ wall: spread(wall), cpu: spread(1) });
    const ratios = { [BARE]: ratioOf(0.4), [FAIR]: ratioOf(0.9) };
    const groups = (['always', 'later'] as const).map((sync, at) => ({
      group: fairGroup('SQLite', 'append', sync),
      callers: 32,
      limits: [BARE, FAIR],
      measurements: [{ subject: ENGINE, wallUs: spread(100 * (at + 1)), cpuUs: spread(1), ratios }],
    }));
    expect(fairTable({ ...results(1, 1), groups })).toContain(
      '| SQLite: append | - | 10,000 (0.90, 0.40) | - | 5,000 (0.90, 0.40) |',
    );
  });
});

describe('the space of a session', () => {
  const counts = [
    { figure: 'Redis memory of a live session with 10 entries', value: 3870, unit: 'bytes' },
    { figure: 'SQLite file of a session with 10 entries', value: 3000, unit: 'bytes' },
  ];

  it('is shown as sessions per gigabyte, in the order of the tables', () => {
    expect(sessionsPerGigabyte(counts)).toBe(
      '| sessions in a GB, ten entries each | - | 258,000 | 333,000 | - |',
    );
  });
});

describe('the summary of a run', () => {
  it('shows how busy the machine was before the run', () => {
    const { machine } = results(1, 1);
    expect(machineOf({ ...results(1, 1), machine: { ...machine, load: 0.08 } })).toContain(
      'load before the run 0.1:',
    );
    expect(machineOf(results(1, 1))).toContain('load before the run not saved:');
  });
});

describe('a spread', () => {
  it('consists of the median and the quartiles', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, lower: 2, upper: 4 });
    expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, lower: 1.75, upper: 3.25 });
    expect(spreadOf([7])).toEqual({ median: 7, lower: 7, upper: 7 });
  });
});

describe('a benchmark group', () => {
  it('measures every subject equally often, and the limit beside itself as 1', async () => {
    const calls = { limit: 0, other: 0 };
    const subject = (name: keyof typeof calls) => ({
      name,
      call: async () => {
        calls[name] += 1;
      },
    });
    const group = {
      name: 'g',
      callers: 2,
      limits: ['limit'],
      subjects: [subject('limit'), subject('other')],
    };
    const { measurements } = await measure(group, { rounds: 2, roundMs: 1 });
    expect(measurements.map((measurement) => measurement.subject)).toEqual(['limit', 'other']);
    expect(measurements[0]?.ratios['limit']).toEqual({
      wall: spread(1),
      cpu: spread(1),
      least: 1,
    });
    expect(measurements[1]?.ratios['limit']?.wall.median).toBeGreaterThan(0);
    expect(Math.min(calls.limit, calls.other)).toBeGreaterThan(0);
  });

  it('renews what calls wear out before its check and before every turn', async () => {
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
    };
    const group = {
      name: 'g',
      callers: 1,
      limits: ['x'],
      subjects: [{ name: 'x', call: async () => 1, renew }],
    };
    await measure(group, { rounds: 2, roundMs: 1 });
    expect(renewals).toBe(1 + 3);
  });

  it('measures single calls on demand, and compares a subject only with those that it names', async () => {
    const call = () => new Promise((resolve) => setTimeout(resolve, 2));
    const subjects = [
      { name: 'by hand', call },
      { name: 'list', call, beside: ['by hand'] },
    ];
    const group = {
      name: 'g',
      callers: 3,
      limits: ['by hand', 'list'],
      subjects,
      isTimedSingly: true,
    };
    const { measurements } = await measure(
      { ...group, effort: { rounds: 2, roundMs: 5 } },
      { rounds: 0, roundMs: 0 },
    );
    expect(Object.keys(measurements[1]?.ratios ?? {})).toEqual(['by hand']);
    const { p50, p99 } = measurements[1]?.latencyUs ?? {};
    // Three callers wait at the same time, so each waits longer than its share of the time of all.
    expect(p50?.median).toBeGreaterThan(measurements[1]?.wallUs.median ?? 0);
    expect(p99?.median).toBeGreaterThanOrEqual(p50?.median ?? Number.NaN);
  });

  it('is not measured if a subject returns a wrong result', async () => {
    const check = () => {
      throw new Error('not a page');
    };
    const group = {
      name: 'g',
      callers: 1,
      limits: ['x'],
      subjects: [{ name: 'x', call: async () => 1, check }],
    };
    await expect(measure(group, { rounds: 1, roundMs: 1 })).rejects.toThrow('not a page');
  });
});
