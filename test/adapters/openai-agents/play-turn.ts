import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  RunState,
  run,
  tool,
} from '@openai/agents';
import { z } from 'zod';
import { type AgentSessions, EngineSession } from '../../../adapters/openai-agents/index.js';
import { answered, modelOf, toolCall } from './scripted-model.js';

export interface Turn {
  readonly id: string;
  readonly turn: string;
  /** The state of a run that waits for an approval, which is given. */
  readonly interrupted?: string | undefined;
  /** Called before each step. */
  readonly at?: (step: string) => void;
}

export type Outcome =
  | { readonly answered: string | undefined }
  | { readonly interrupted: string }
  | { readonly rejected: string };

const callOf = (name: string): AgentOutputItem => toolCall(name, `call-${name}`);

/** Answers in other words every time. */
const say = (): AgentOutputItem => answered(`Here it is: ${crypto.randomUUID()}`);

const observed = (sessions: AgentSessions, at: (step: string) => void): AgentSessions => ({
  get: (...args) => sessions.get(...args),
  getOrCreate: (...args) => sessions.getOrCreate(...args),
  append: (...args) => {
    at('before the append');
    return sessions.append(...args).map((appended) => {
      at('after the append');
      return appended;
    });
  },
  rewind: (...args) => sessions.rewind(...args),
  history: (...args) => {
    at('before the read');
    return sessions.history(...args);
  },
});

/**
 * An agent that looks something up and hands over to another agent, or deletes something if that is
 * approved.
 */
const agentOf = (first: string, at: (step: string) => void): Agent => {
  let calls = 0;
  const answerTo = (last: AgentInputItem | undefined): AgentOutputItem => {
    if (last?.type !== 'function_call_result') return callOf(first);
    return last.name === 'look_up' ? callOf('transfer_to_Clerk') : say();
  };
  const model = modelOf((input) => {
    calls += 1;
    at(`in call ${calls} of the model`);
    return answerTo(input.at(-1));
  });
  const toolOf = (name: string, needsApproval: boolean) => {
    const execute = async () => {
      at(`in the tool ${name}`);
      return 'done';
    };
    return tool({ name, description: name, parameters: z.object({}), needsApproval, execute });
  };
  const clerk = new Agent({ name: 'Clerk', model });
  const tools = [toolOf('look_up', false), toolOf('delete', true)];
  return new Agent({ name: 'Desk', model, tools, handoffs: [clerk] });
};

/** Runs a turn of an agent on a session of the engine. */
export const playTurn = async (
  sessions: AgentSessions,
  first: 'look_up' | 'delete',
  { id, turn, interrupted, at = () => {} }: Turn,
): Promise<Outcome> => {
  const agent = agentOf(first, at);
  const session = new EngineSession<AgentInputItem>(observed(sessions, at), id, { turn });
  const state =
    interrupted === undefined ? undefined : await RunState.fromString(agent, interrupted);
  for (const approval of state?.getInterruptions() ?? []) state?.approve(approval);
  try {
    const result = await run(agent, state ?? 'Where is my parcel?', { session });
    return result.interruptions.length > 0
      ? { interrupted: result.state.toString() }
      : { answered: result.finalOutput };
  } catch (error) {
    return { rejected: String(error) };
  }
};
