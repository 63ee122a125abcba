import type { SessionService } from '../../service/session-service.js';
import { type Conversation, parseConversation } from './conversation.js';
import { hold } from './hold.js';
import { inParallel } from './pool.js';
import type { Progress } from './progress.js';
import type { ReplayReport } from './report.js';
import { verifyList, verifyOne } from './verify.js';

export interface ReplayRun {
  readonly sessions: SessionService;
  readonly lines: AsyncIterable<string> | Iterable<string>;
  readonly concurrency: number;
  readonly progress: Progress;
}

/** Holds every conversation, then reads all of them back. What fails is a problem of the report and stops nothing. */
export const replayLines = async (run: ReplayRun): Promise<ReplayReport & { readonly ids: readonly string[] }> => {
  const { sessions, lines, concurrency, progress } = run;
  const held = new Map<string, Conversation>();
  const problems: string[] = [];
  let lineNumber = 0;
  let turns = 0;

  const holdLine = async (line: string): Promise<void> => {
    lineNumber += 1;
    const name = `line ${lineNumber}`;
    if (line.trim() === '') return;
    const conversation = parseConversation(line);
    if (conversation.isErr()) {
      problems.push(`${name} ${conversation.error}`);
      return;
    }
    const told = await hold(sessions, conversation.value);
    if (told.isErr()) {
      problems.push(`${name}, ${conversation.value.id}: ${told.error.message}`);
      return;
    }
    held.set(told.value, conversation.value);
    turns += conversation.value.turns.length;
    progress.show('held', held.size);
  };

  const begun = performance.now();
  await inParallel(lines, concurrency, holdLine);
  const allHeld = performance.now();
  let read = 0;
  await inParallel(held, concurrency, async ([id, conversation]) => {
    problems.push(...(await verifyOne(sessions, id, conversation)));
    read += 1;
    progress.show('read back', read, held.size);
  });
  const ended = performance.now();
  problems.push(...(await verifyList(sessions, held)));
  progress.clear();
  return {
    conversations: held.size,
    turns,
    heldMs: allHeld - begun,
    readMs: ended - allHeld,
    problems,
    ids: [...held.keys()],
  };
};
