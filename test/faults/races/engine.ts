import type { Result } from 'neverthrow';
import type { Appended, Session, SessionError, SessionService } from '../../../src/index.js';
import type { SessionState } from '../../../src/session/session.js';
import { type Command, emptyModel } from './model.js';

/**
 * The time of all services of a run. Every creation takes a millisecond, so that their order is
 * known.
 */
export class SharedClock {
  #now = emptyModel.now;

  now = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** The model knows no times of the day and no revisions. */
const inModel = <
  T extends Partial<Pick<Session, 'startedAt' | 'endsAt' | 'endedAt' | 'updatedAt' | 'revision'>>,
>({
  startedAt: _,
  endsAt: __,
  endedAt: ___,
  updatedAt: ____,
  revision: _____,
  ...state
}: T) => state;

const viewOf = ({
  id: _,
  options,
  createdAt: __,
  labels: ___,
  metadata: ____,
  history,
  ...state
}: Session) => ({
  ...inModel(state),
  history: history.map(({ content }) => content),
  timeLimit: options.timeLimit,
});

const withoutId = ({ id: _, ...state }: SessionState) => inModel(state);

/** A view, or the type of the error; for a store that did not answer, what became of the call. */
const answerOf = <T>(result: Result<T, SessionError>, view: (value: T) => unknown): unknown => {
  if (result.isOk()) return view(result.value);
  return result.error.type === 'store_unavailable' ? result.error.outcome : result.error.type;
};

/** Runs the model's commands on a real service, with answers that compare with the model's. */
export class Engine {
  readonly #sessions: SessionService;
  readonly #idOf: (key: string) => Promise<string> | string;
  readonly #clock: SharedClock;
  readonly #positions = new Map([['', 0]]);
  /** That of the last append, if it was made. */
  position: number | undefined;

  constructor(
    sessions: SessionService,
    idOf: (key: string) => Promise<string> | string,
    clock = new SharedClock(),
  ) {
    this.#sessions = sessions;
    this.#idOf = idOf;
    this.#clock = clock;
  }

  /**
   * The texts of the last entries, which the next appends can name; undefined if they cannot be
   * read.
   */
  async look(key: string): Promise<readonly string[] | undefined> {
    const part = (await this.#sessions.history(await this.#idOf(key), { last: 3 })).unwrapOr(
      undefined,
    );
    for (const { content, position } of part?.entries ?? []) this.#positions.set(content, position);
    return part?.entries.map(({ content }) => content);
  }

  async run(command: Command): Promise<unknown> {
    const sessions = this.#sessions;
    this.position = undefined;
    switch (command.type) {
      case 'create': {
        const { key, timeLimit } = command;
        const input = { face: 'ada', profile: 'tutor', timeLimit, idempotencyKey: key };
        return answerOf(await sessions.create(input), viewOf);
      }
      case 'append': {
        const { key, text, name, ifLast } = command;
        const entries = [{ role: 'user', content: text }];
        const ifPosition = ifLast === undefined ? undefined : this.#positions.get(ifLast);
        const options = { ...named(name), ...(ifPosition !== undefined && { ifPosition }) };
        return this.#written(await sessions.append(await this.#idOf(key), entries, options));
      }
      case 'rewind': {
        const { key, text, name, ifLast, to } = command;
        const entries = [{ role: 'user', content: text }];
        const place = { to: this.#positionOf(to), ifPosition: this.#positionOf(ifLast) };
        return this.#written(
          await sessions.rewind(await this.#idOf(key), { ...place, entries, ...named(name) }),
        );
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
        return answerOf(page, ({ total, sessions: found }) => ({
          sessions: found.map(viewOf),
          total,
        }));
      }
      case 'wait':
        this.#clock.advance(command.ms);
        return 'waited';
      default:
        return answerOf(
          await sessions[command.type](await this.#idOf(command.key), named(command.name)),
          withoutId,
        );
    }
  }

  #written(result: Result<Appended, SessionError>): unknown {
    return answerOf(result, ({ repeated, position }) => {
      if (!repeated) this.position = position;
      return repeated ? 'appended before' : 'appended';
    });
  }

  /** The position after the entry with this text, which `look` has seen. */
  #positionOf(text: string): number {
    const position = this.#positions.get(text);
    if (position === undefined) throw new Error(`nobody has seen ${text}`);
    return position;
  }
}

const named = (name: string | undefined) => (name === undefined ? {} : { operationId: name });
