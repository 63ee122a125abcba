import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import type { ResultAsync } from 'neverthrow';
import { type RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionError } from '../../../src/errors.js';
import type { SweptSession } from '../../../src/service/operation-results.js';
import { SessionService } from '../../../src/service/session-service.js';
import { createSweeper } from '../../../src/service/sweeper.js';
import type { Answered, AppendJob, EndJob, Job, RaceJob, Report, Written } from './jobs.js';

const [version = '', port = '', prefix = ''] = process.argv.slice(2);

const client: RedisClient = version === 'ioredis 6' ? new Redis6(Number(port)) : new Redis(Number(port));
const sessions = new SessionService({ store: new RedisSessionStore({ client, prefix, timeoutMs: 30_000 }) });

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const answered = async <T>(call: ResultAsync<T, SessionError>, value: (result: T) => string): Promise<Answered> => {
  const result = await call;
  return result.isOk() ? { outcome: 'ok', value: value(result.value) } : { outcome: result.error.type, value: '' };
};

const call = (job: RaceJob['job'], id: string): Promise<Answered> => {
  if (job === 'start') return answered(sessions.start(id), ({ status }) => status);
  if (job === 'terminate') return answered(sessions.terminate(id), ({ status }) => status);
  return answered(sessions.create({ face: 'ada', profile: 'tutor', idempotencyKey: id }), (session) => session.id);
};

const write = async ({ id, appends, entries }: AppendJob, writer: string): Promise<Written> => {
  for (let acknowledged = 0; acknowledged < appends; acknowledged += 1) {
    const said = upTo(entries).map((entry) => ({ role: 'user', content: `${writer} ${acknowledged} ${entry}` }));
    const appended = await sessions.append(id, said);
    if (appended.isErr()) return { writer, acknowledged, outcome: appended.error.type };
  }
  return { writer, acknowledged: appends, outcome: 'ok' };
};

const historyOf = (id: string): Promise<Answered> =>
  answered(sessions.get(id), ({ history }) => JSON.stringify(history.map(({ content }) => content)));

const end = async ({ id, after }: EndJob): Promise<readonly Answered[]> => {
  for (;;) {
    const session = await sessions.get(id);
    if (session.isErr() || session.value.history.length >= after) break;
  }
  return [await call('terminate', id), await historyOf(id)];
};

/** The sessions that this process has ended, each with its reason. */
const sweep = async (batch: number): Promise<readonly Answered[]> => {
  const ended: Answered[] = [];
  const onEnded = ({ id, endReason }: SweptSession) => ended.push({ outcome: endReason, value: id });
  const swept = await createSweeper(sessions, { batch, onEnded }).sweepOnce();
  return swept.isOk() ? ended : [...ended, { outcome: swept.error.type, value: '' }];
};

const run = async (job: Job): Promise<Report> => {
  if (job.job === 'append') {
    return { answers: [], written: await Promise.all(job.writers.map((writer) => write(job, writer))) };
  }
  if (job.job === 'end') return { answers: await end(job), written: [] };
  if (job.job === 'sweep') return { answers: await sweep(job.batch), written: [] };
  return { answers: await Promise.all(upTo(job.times).map(() => call(job.job, job.id))), written: [] };
};

const report = async (text: string): Promise<void> => {
  const job: Job = JSON.parse(text);
  process.send?.(JSON.stringify(await run(job)));
};

process.on('message', (text) => {
  report(String(text)).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// The parent has gone, or needs this process no more.
process.on('disconnect', () => process.exit(0));
// Connected in advance, so that all processes begin the race together.
client.get(prefix).then(
  () => process.send?.('ready'),
  () => process.exit(1),
);
