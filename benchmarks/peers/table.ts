import { readFileSync, writeFileSync } from 'node:fs';
import type { GroupResult, Measurement } from '../harness/measure.js';
import { machineOf, type Results } from '../results.js';

const FIGURES = 'benchmarks/peers/figures.md';
const README = 'benchmarks/peers/README.md';

const timeOf = (us: number): string => {
  if (us >= 1000) return `${(us / 1000).toFixed(us >= 10_000 ? 0 : 1)} ms`;
  return us >= 10 ? `${us.toFixed(0)} us` : `${us.toFixed(1)} us`;
};

/** Three digits are what such a factor is worth. */
const timesAs = (factor: number): string =>
  Number(factor.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 2 });

/** A row is compared with one other: the row of Colloquy that does the same. */
const comparedOf = ({ subject, ratios }: Measurement): string => {
  const [[limit, ratio] = ['', undefined]] = Object.entries(ratios);
  if (ratio === undefined || limit === subject) return '1';
  return timesAs(1 / ratio.wall.median);
};

const tableOf = ({ group, callers, measurements }: GroupResult): readonly string[] => [
  `| ${group[0]?.toUpperCase()}${group.slice(1)}, ${callers === 1 ? '1 caller' : `${callers} callers`} | Time | Quartiles | Times as long | Holds, gives, and does not |`,
  '|---|---:|---:|---:|---|',
  ...measurements.map((measurement) => {
    const { subject, wallUs, note = '' } = measurement;
    const quartiles = `${timeOf(wallUs.lower)} - ${timeOf(wallUs.upper)}`;
    return `| ${subject} | ${timeOf(wallUs.median)} | ${quartiles} | ${comparedOf(measurement)} | ${note} |`;
  }),
  '',
];

/** A row for each call, a column for each question; a dash where a call has no such case. */
const answersTable = (counts: Results['counts']): readonly string[] => {
  const asked = counts.map(({ figure, value }) => {
    const at = figure.lastIndexOf(': ');
    return { call: figure.slice(0, at), question: figure.slice(at + 2), value };
  });
  const [calls, questions] = [
    new Set(asked.map(({ call }) => call)),
    [...new Set(asked.map(({ question }) => question))],
  ];
  const rows = [...calls].map((call) => {
    const answers = new Map(
      asked.filter((found) => found.call === call).map(({ question, value }) => [question, value]),
    );
    return `| ${call} | ${questions.map((question) => answers.get(question) ?? '-').join(' | ')} |`;
  });
  return [
    `| Entries | ${questions.join(' | ')} |`,
    `|---|${questions.map(() => '---:').join('|')}|`,
    ...rows,
  ];
};

/** The figures of a run as Markdown: lists, appends, gets, answers, then what became of data. */
export const peersTables = (results: Results): string => {
  const { groups, counts, effort } = results;
  const tables = ['list', 'append', 'get', 'answer'].flatMap((kind) =>
    groups.filter(({ group }) => group.startsWith(`${kind} `)).flatMap(tableOf),
  );
  return [
    `${machineOf(results)} Medians of ${effort.rounds} rounds; "times as long" is the median of the rounds' own ratios.`,
    '',
    ...tables,
    ...answersTable(counts),
  ].join('\n');
};

/** What an answer takes: alone, and as a share of the time of many. */
const answersSummary = ({ groups }: Results): string => {
  const found = groups.filter(({ group }) => group.startsWith('answer '));
  const rows = found[0]?.measurements.map(({ subject }) => {
    const cells = found.map(({ measurements }) => {
      const measurement = measurements.find((each) => each.subject === subject);
      return measurement === undefined ? '-' : comparedOf(measurement);
    });
    return `| ${subject} | ${cells.join(' | ')} |`;
  });
  if (rows === undefined) return 'Not measured in the saved run.';
  return ['| Times as long | 1 caller | 32 callers |', '|---|---:|---:|', ...rows].join('\n');
};

/** Replaces what stands between the marks of this name. */
const write = (file: string, name: string, text: string): void => {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(start);
  const [, after = ''] = rest.split(end);
  writeFileSync(file, `${before}${start}\n${text}\n${end}${after}`);
};

/** Puts the tables into this project's pages, in place of those of the run before. */
export const writePeers = (results: Results): void => {
  write(FIGURES, 'figures', peersTables(results));
  write(README, 'answers', answersSummary(results));
};
