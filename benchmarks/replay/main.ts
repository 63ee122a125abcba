import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { nanoid } from 'nanoid';
import { CliError, messageOf, UsageError } from '../../src/cli/cli-error.js';
import { databaseHelp, openStore, tenantForm } from '../../src/cli/open-store.js';
import { Options } from '../../src/cli/options.js';
import { plural, print, printError, printText } from '../../src/cli/print.js';
import { SessionService } from '../../src/service/session-service.js';
import { progressBar } from './progress-bar.js';
import { inParallel, replayLines } from './replay-lines.js';

/** Without the variables of the databases: a replay writes, and only where its options say so. */
const onlyOptions = (text: string) =>
  text.replace(/(?<=--\w+ (?:URL|FILE)), \$\w+/g, (variable) => ' '.repeat(variable.length));

const help = `Usage: npm run replay -- [options] [FILE]

Replays recorded conversations in sessions, reads them back, and compares them entry by entry. Each line of FILE, or of
standard input, is a conversation: {"id": "...", "turns": [{"role": "...", "content": "..."}, ...]}.

Where the sessions are stored. Default: in memory. --redis env means the URL in REDIS_URL, and
--postgres env the one in COLLOQUY_POSTGRES.
${onlyOptions(databaseHelp)}  --tenant NAME                         The tenant of the sessions. Default: a new one with a random name.
  --concurrency N                       Number of conversations to replay at the same time. Default: 32.
  --keep                                Keeps the sessions in the store. Default: deletes them at the end.

Exits with 1 if a session differs from its conversation, or if a line is not a conversation.
`;

/**
 * The lines of a text. The readline of newer Nodes also splits at U+2028, which JSON may contain
 * (RFC 8259, 7).
 */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The lines of a file, and the share of it that has been read. */
const openFile = async (file: string) => {
  const handle = await open(file);
  const { size } = await handle.stat();
  const stream = handle.createReadStream();
  return { lines: linesOf(stream), shareRead: () => stream.bytesRead / size };
};

const reportOf = (
  { ids, turns, replayMs, parseMs, problems }: Awaited<ReturnType<typeof replayLines>>,
  storeName: string,
) => {
  const rate = (ms: number): string =>
    `${(ms / 1000).toFixed(1)} s, ${Math.round((1000 * ids.length) / (ms || 1))}/s`;
  const result = problems.length === 0 ? 'no difference' : plural(problems.length, 'problem');
  const replayed = `${plural(ids.length, 'conversation')}, ${plural(turns, 'turn')}, stored in ${storeName}`;
  return [
    ...problems,
    replayed,
    `replayed in ${rate(replayMs)}; read back in ${rate(parseMs)}`,
    result,
  ].join('\n');
};

const replay = async (options: Options): Promise<void> => {
  const tenant = options.text('tenant', ...tenantForm) ?? `replay-${nanoid(8)}`;
  const concurrency = options.integer('concurrency', 1, 10_000, 32);
  const isKept = options.isOn('keep');
  const [file] = options.operands;
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError('the file is missing: name one, or write conversations to standard input');
  const { lines, shareRead } = file
    ? await openFile(file)
    : { lines: linesOf(process.stdin), shareRead: () => undefined };
  const { store, storeName, close } = await openStore(options, {});
  const sessions = new SessionService({ store, tenant });
  const draw = progressBar(process.stderr);
  try {
    const onProgress = (text: string, share = shareRead()): void => draw(text, share);
    const report = await replayLines(sessions, lines, concurrency, onProgress);
    draw('');
    if (!isKept) await inParallel(report.ids, concurrency, (id) => sessions.delete(id));
    await printText(reportOf(report, storeName));
    if (isKept && storeName !== 'memory')
      await print(`the sessions were kept under tenant ${tenant}`);
    if (report.problems.length > 0)
      throw new CliError('some sessions differ from what was recorded');
    if (report.ids.length === 0) throw new CliError('the input has no conversation');
  } finally {
    close();
  }
};

const fail = (cause: unknown): void => {
  process.exitCode = cause instanceof CliError ? cause.exitCode : 1;
  void printError(`replay: ${messageOf(cause)}${process.exitCode === 2 ? '; see --help' : ''}`);
};

const run = async (args: readonly string[]): Promise<unknown> =>
  args.some((arg) => /^(--help|-h)$/.test(arg))
    ? printText(help)
    : replay(new Options({ help, operands: 1 }, args, process.env));

run(process.argv.slice(2)).catch(fail);
