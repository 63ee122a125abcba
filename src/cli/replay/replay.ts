import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { SessionService } from '../../service/session-service.js';
import type { Command } from '../command.js';
import { type Failure, failure, misuse, textOf } from '../failure.js';
import { redisHelp } from '../redis-settings.js';
import { openStore } from '../store.js';
import { linesOf } from './lines.js';
import { inParallel } from './pool.js';
import { Progress } from './progress.js';
import { replayLines } from './replay-lines.js';
import { reportText } from './report.js';
import { readReplaySettings } from './settings.js';

const help = `Usage: colloquy replay [options] [FILE]

Holds recorded conversations in sessions and checks that nothing is lost. Each line of FILE, or of standard input, is
one: {"id": "...", "turns": [{"role": "...", "content": "..."}, ...]}. Each becomes a session that is created, started,
fed its turns, paused and resumed once, and terminated. Then all are read back and compared entry by entry.

Options:
  --redis URL          Keeps the sessions in this Redis. Default: REDIS_URL, and without it in memory. A URL with a
                       password belongs into REDIS_URL: others may see an argument.
${redisHelp}
  --concurrency N      Conversations at a time. Default: 32.
  --keep               Leaves the sessions in the store. Default: they are deleted at the end.

Ends with 1 if there is any difference, or a line that is no conversation.
`;

const openInput = async (file: string | undefined): Promise<Result<Readable, Failure>> => {
  if (file === undefined) {
    return process.stdin.isTTY
      ? err(misuse('which file? or give conversations on standard input; see --help'))
      : ok(process.stdin);
  }
  try {
    return ok((await open(file)).createReadStream());
  } catch (cause) {
    return err(failure(`the file cannot be opened: ${textOf(cause)}`));
  }
};

const run: Command['run'] = async (args, env) => {
  const settings = readReplaySettings(args, env);
  if (settings.isErr()) return err(settings.error);
  const { file, redis, concurrency, keep } = settings.value;
  const input = await openInput(file);
  if (input.isErr()) return err(input.error);
  const opened = await openStore(redis);
  if (opened.isErr()) return err(opened.error);
  const { store, place, close } = opened.value;
  // A tenant of its own: no replay meets the sessions of another, or anybody's.
  const tenant = `replay-${nanoid(8)}`;
  const sessions = new SessionService({ store, tenant });
  try {
    const lines = linesOf(input.value);
    const report = await replayLines({ sessions, lines, concurrency, progress: new Progress(process.stderr) });
    if (!keep) await inParallel(report.ids, concurrency, async (id) => void (await sessions.delete(id)));
    console.log(reportText(report, place));
    if (keep && redis !== undefined) console.log(`the sessions stay there, those of tenant ${tenant}`);
    if (report.conversations === 0 && report.problems.length === 0) return err(failure('there was no conversation'));
    return report.problems.length === 0 ? ok(undefined) : err(failure('not all was read back as it was told'));
  } catch (cause) {
    return err(failure(`the input cannot be read: ${textOf(cause)}`));
  } finally {
    await close();
  }
};

export const replay: Command = { summary: 'hold recorded conversations and check that nothing is lost', help, run };
