import type { Result } from 'neverthrow';
import { type Session, SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import type { SessionState } from '../../../src/session/session.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { type Command, emptyModel } from './model.js';

let tenants = 0;

/** A tenant that nobody has used. */
export const newTenant = (): string => {
  tenants += 1;
  return `model-${process.pid}-${tenants}`;
};

/** The time of all services of a run. Every creation takes a millisecond, so that their order is known. */
export class SharedClock {
  #now = emptyModel.now;

  now = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** The model knows no times of the day. */
const withoutTimes = <T extends Partial<Pick<Session, 'startedAt' | 'endsAt' | 'endedAt' | 'updatedAt'>>>({
  startedAt: _,
  endsAt: __,
  endedAt: ___,
  updatedAt: ____,
  ...state
}: T) => state;

const viewOf = ({ id: _, options, createdAt: __, labels: ___, history, ...state }: Session) => ({
  ...withoutTimes(state),
  history: history.map(({ content }) => content),
  timeLimit: options.timeLimit,
});

const withoutId = ({ id: _, ...state }: SessionState) => withoutTimes(state);

const answerOf = <T>(result: Result<T, { readonly type: string }>, view: (value: T) => unknown): unknown =>
  result.isOk() ? view(result.value) : result.error.type;

/** Runs the model's commands on a real service, with answers that compare with the model's. */
export class Engine {
  readonly #sessions: SessionService;
  readonly #tenant: string;
  readonly #clock: SharedClock;

  constructor(store: SessionStore, clock: SharedClock, tenant: string) {
    this.#sessions = new SessionService({ store, clock, tenant });
    this.#tenant = tenant;
    this.#clock = clock;
  }

  async run(command: Command): Promise<unknown> {
    const sessions = this.#sessions;
    switch (command.type) {
      case 'create': {
        const { key, timeLimit } = command;
        const input = { face: 'ada', profile: 'tutor', timeLimit, idempotencyKey: key };
        return answerOf(await sessions.create(input), viewOf);
      }
      case 'append': {
        const { key, text, name } = command;
        const entries = [{ role: 'user', content: text }];
        const appended = await sessions.append(await this.#idOf(key), entries, named(name));
        return answerOf(appended, ({ repeated }) => (repeated ? 'appended before' : 'appended'));
      }
      case 'get':
        return answerOf(await sessions.get(await this.#idOf(command.key)), viewOf);
      case 'delete':
        return answerOf(await sessions.delete(await this.#idOf(command.key)), () => 'deleted');
      case 'list':
        return answerOf(await sessions.list({ limit: 100 }), (page) => page.sessions.map(viewOf));
      case 'page': {
        const { type: _, status, ...query } = command;
        const page = await sessions.list({ ...query, ...(status === undefined ? {} : { status }) });
        return answerOf(page, ({ total, sessions: found }) => ({ sessions: found.map(viewOf), total }));
      }
      case 'wait':
        this.#clock.advance(command.ms);
        return 'waited';
      default:
        return answerOf(await sessions[command.type](await this.#idOf(command.key), named(command.name)), withoutId);
    }
  }

  #idOf(key: string): Promise<string> {
    return idOfIdempotencyKey(this.#tenant, key);
  }
}

const named = (name: string | undefined) => (name === undefined ? {} : { operationId: name });
