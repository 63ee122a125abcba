import type { ResultAsync } from 'neverthrow';
import { SessionService } from '../../../src/service/session-service.js';
import { createSweeper } from '../../../src/service/sweeper.js';
import type { SessionError } from '../../../src/session/errors.js';
import type { EndedSession } from '../../../src/session/session-at.js';
import { witness } from '../../faults/races/witness.js';
import { randomFrom } from '../random.js';
import { openStoreAt, type StoreAddress } from '../store-address.js';
import type {
  Answered,
  AppendJob,
  EndJob,
  Job,
  OccupyJob,
  RaceJob,
  Report,
  WitnessJob,
  Written,
} from './jobs.js';

const address: StoreAddress = JSON.parse(process.argv[2] ?? '');
const { store, ready } = openStoreAt(address);
const sessions = new SessionService({ store });

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

const answered = async <T>(
  call: ResultAsync<T, SessionError>,
  value: (result: T) => string,
): Promise<Answered> => {
  const result = await call;
  return result.isOk()
    ? { outcome: 'ok', value: value(result.value) }
    : { outcome: result.error.type, value: '' };
};

const call = (job: RaceJob['job'], id: string): Promise<Answered> => {
  if (job === 'start') return answered(sessions.start(id), ({ status }) => status);
  if (job === 'terminate') return answered(sessions.terminate(id), ({ status }) => status);
  return answered(
    sessions.create({ face: 'ada', profile: 'tutor', idempotencyKey: id }),
    (session) => session.id,
  );
};

const write = async ({ id, appends, entries }: AppendJob, writer: string): Promise<Written> => {
  for (let acknowledged = 0; acknowledged < appends; acknowledged += 1) {
    const said = upTo(entries).map((entry) => ({
      role: 'user',
      content: `${writer} ${acknowledged} ${entry}`,
    }));
    const appended = await sessions.append(id, said);
    if (appended.isErr()) return { writer, acknowledged, outcome: appended.error.type };
  }
  return { writer, acknowledged: appends, outcome: 'ok' };
};

const historyOf = (id: string): Promise<Answered> =>
  answered(sessions.get(id), ({ history }) =>
    JSON.stringify(history.map(({ content }) => content)),
  );

const end = async ({ id, after }: EndJob): Promise<readonly Answered[]> => {
  for (;;) {
    const session = await sessions.get(id);
    if (session.isErr() || session.value.history.length >= after) break;
  }
  return [await call('terminate', id), await historyOf(id)];
};

/** Ends of sessions that this process has stored, with their reasons. */
const sweep = async (batch: number): Promise<readonly Answered[]> => {
  const ended: Answered[] = [];
  const onEnded = ({ id, endReason }: EndedSession) =>
    ended.push({ outcome: endReason, value: id });
  const swept = await createSweeper(sessions, { batch, onEnded }).sweepOnce();
  return swept.isOk() ? ended : [...ended, { outcome: swept.error.type, value: '' }];
};

/** Microseconds on the clock shared by all processes of a machine. */
const instant = (): number => Number(process.hrtime.bigint() / 1000n);

/** Returns the interval in which each started session was certainly live. */
const occupy = async ({ callers, times, limit }: OccupyJob): Promise<readonly Answered[]> => {
  const limited = new SessionService({ store, limits: { activeSessions: limit } });
  const take = async (isPaused: boolean): Promise<Answered> => {
    const created = await sessions.create({ face: 'ada', profile: 'tutor' });
    if (created.isErr()) return { outcome: created.error.type, value: '' };
    const { id } = created.value;
    const started = await limited.start(id);
    if (started.isErr()) return { outcome: started.error.type, value: '' };
    const from = instant();
    const used = isPaused ? await limited.pause(id) : await limited.get(id);
    const to = instant();
    const ended = await limited.terminate(id);
    const failed = [used, ended].find((each) => each.isErr());
    return { outcome: failed?.isErr() ? failed.error.type : 'ok', value: `${from} ${to}` };
  };
  const takeInTurn = async (): Promise<readonly Answered[]> => {
    const answers: Answered[] = [];
    for (const at of upTo(times)) answers.push(await take(at % 2 === 0));
    return answers;
  };
  return (await Promise.all(upTo(callers).map(takeInTurn))).flat();
};

const see = async ({ id, clients, calls, seed }: WitnessJob) => {
  const random = randomFrom(seed);
  const seen = upTo(clients).map((at) =>
    witness(sessions, id, { name: `${seed}.${at}`, calls, random, instant }),
  );
  return (await Promise.all(seen)).flat();
};

const run = async (job: Job): Promise<Report> => {
  const nothing: Report = { answers: [], written: [], seen: [] };
  if (job.job === 'append') {
    return {
      ...nothing,
      written: await Promise.all(job.writers.map((writer) => write(job, writer))),
    };
  }
  if (job.job === 'end') return { ...nothing, answers: await end(job) };
  if (job.job === 'sweep') return { ...nothing, answers: await sweep(job.batch) };
  if (job.job === 'occupy') return { ...nothing, answers: await occupy(job) };
  if (job.job === 'witness') return { ...nothing, seen: await see(job) };
  return {
    ...nothing,
    answers: await Promise.all(upTo(job.times).map(() => call(job.job, job.id))),
  };
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
// The parent has exited or is done.
process.on('disconnect', () => process.exit(0));
// Connects in advance, so that all processes start the race together.
ready.then(
  () => process.send?.('ready'),
  () => process.exit(1),
);
