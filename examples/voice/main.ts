// Calls with a voice agent on a scripted clock, so the output is the same each time and needs no
// waiting. A real agent uses the machine's clock, speech recognition, speech synthesis and a model;
// agent.ts stays unchanged.
import { type HistoryEntry, SessionService, unwrap } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { type Ending, holdCall } from './agent.js';
import { keepLiveKit } from './livekit.js';
import { LiveKitCall, twilioSocket } from './recorded-calls.js';
import { ScriptedClock } from './scripted-clock.js';
import { ScriptedLine, type Step, scriptedModel } from './scripted-line.js';
import { answerTwilio } from './twilio.js';

const clock = new ScriptedClock();
const sessions = new SessionService({
  store: new MemorySessionStore({ events: true }),
  clock,
  idleTimeout: 300,
  gracePeriod: 10, // the last words of an answer may come after the end
});
const model = scriptedModel(clock, {
  'What is a session?': ['One talk with one face.', 'It has a history, a status and a time limit.'],
  'And when its time is up?': [
    'Then it has ended, for everybody who looks, at that very millisecond.',
  ],
  'Tell me all that you know.': [
    'Very well.',
    'In the beginning there was a face, and the face had a profile.',
    'And it came to pass that somebody asked about the clock.',
  ],
});

/** The speech recognition reports that the caller speaks, and a second later the words. */
const says = (after: number, id: string, text: string): readonly Step[] => [
  { after, heard: { type: 'speech' } },
  { after: 1000, heard: { type: 'utterance', id, text } },
];

/** A dropped call, an interruption, a minute on hold that does not count, and a time limit. */
const longCall: readonly Step[] = [
  ...says(500, 'u-1', 'What is a session?'),
  { after: 100, heard: 'cut' }, // before a word was answered
  { after: 800, heard: { type: 'utterance', id: 'u-1', text: 'What is a session?' } }, // comes again: not kept twice
  ...says(3000, 'u-2', 'And when its time is up?'), // in the midst of the answer
  { after: 5000, heard: { type: 'hold' } },
  { after: 60_000, heard: { type: 'back' } },
  ...says(500, 'u-3', 'Tell me all that you know.'),
];

/** A call with a supervisor who listens and ends it. */
const watchedCall: readonly Step[] = says(500, 'u-1', 'What is a session?');
const superviseFor = async (ms: number, id: string) => {
  await clock.wait(ms);
  await sessions.terminate(id);
};

const printEntry = (begun: string, { role, content, timestamp }: HistoryEntry): void => {
  const seconds = (Date.parse(timestamp) - Date.parse(begun)) / 1000;
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${role.padEnd(9)}  ${content}`);
};

const print = async (id: string): Promise<void> => {
  const { history, status, duration, createdAt } = await unwrap(sessions.get(id));
  for (const entry of history) printEntry(createdAt, entry);
  console.log(`${status} after ${duration} s that count\n`);
};

const make = async (
  name: string,
  steps: readonly Step[],
  listenIn?: (id: string) => Promise<void>,
): Promise<void> => {
  const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'guide', timeLimit: 20 }));
  void listenIn?.(id);
  const line = new ScriptedLine(clock, steps);
  let ending: Ending = 'cut';
  // A call that was cut, or whose process has died, can be held again, by any process.
  while (ending === 'cut') ending = await holdCall({ sessions, line, model }, id);
  console.log(`${name}: ${ending}`);
  await print(id);
};

const callTwilio = async (): Promise<void> => {
  const id = await answerTwilio(twilioSocket(clock), sessions, model, console.error);
  console.log('A call over Twilio');
  await print(id);
};

const callLiveKit = async (): Promise<void> => {
  const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'guide' }));
  const call = new LiveKitCall();
  await Promise.all([keepLiveKit(call, sessions, id, console.error), call.play(clock)]);
  console.log('A call over LiveKit');
  await print(id);
};

await clock.run(make('A long call', longCall));
await clock.run(make('A call that is listened in', watchedCall, (id) => superviseFor(5000, id)));
await clock.run(callTwilio());
await clock.run(callLiveKit());
