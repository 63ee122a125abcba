import {
  BaseAgent,
  createEvent,
  DatabaseSessionService,
  type Event,
  type InvocationContext,
  LogLevel,
  Runner,
  setLogLevel,
} from '@google/adk';
import { ANSWER, type Answering, nextOf, SAID_BY_USER, TALKS } from './answering.js';

const OWNER = { appName: 'peers', userId: 'a-user' };

/** An agent that knows its answer. */
class Answerer extends BaseAgent {
  protected async *runAsyncImpl({ invocationId }: InvocationContext): AsyncGenerator<Event, void> {
    const content = { role: 'model', parts: [{ text: ANSWER }] };
    yield createEvent({ invocationId, author: this.name, content });
  }

  // biome-ignore lint/correctness/useYield: required by the class, and never called.
  protected async *runLiveImpl(): AsyncGenerator<Event, void> {
    throw new Error('there is no call');
  }
}

/** The runner is the caller: ADK has no queue. */
export const adkAnswers = async (url: string): Promise<Answering> => {
  setLogLevel(LogLevel.ERROR);
  const sessionService = new DatabaseSessionService(url);
  await sessionService.init();
  const agent = new Answerer({ name: 'answerer' });
  const runner = new Runner({ ...OWNER, agent, sessionService });
  for (let at = 0; at < TALKS; at += 1)
    await sessionService.createSession({ ...OWNER, sessionId: `talk-${at}` });
  const next = nextOf();
  const call = async (): Promise<string> => {
    const newMessage = { role: 'user', parts: [{ text: SAID_BY_USER }] };
    let answer = '';
    const { talk: sessionId } = next();
    for await (const { content } of runner.runAsync({ ...OWNER, sessionId, newMessage }))
      answer = content?.parts?.[0]?.text ?? answer;
    return answer;
  };
  return {
    subjects: [
      {
        name: '@google/adk Runner.runAsync',
        note: 'in the process of the caller, which must live: no queue and no worker; message and answer are events of a session',
        call,
      },
    ],
    // It has no method for this, and its open connections would keep the process.
    close: async () => sessionService['orm']?.close(),
  };
};
