import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { readSafely } from '../input/issues.js';
import type { CreateSessionInput } from '../service/create-session.js';
import type { Appended } from '../service/history.js';
import type { SessionState } from '../session/session.js';
import type { CallerCommand } from '../status.js';
import type { Call } from './call.js';
import { readIdempotencyKey, readIdInPath, readWriteName, type WriteOptions } from './call-options.js';
import type { Reply } from './exchange.js';
import { readPagePath } from './page-path.js';
import { readAppended, readCreated, readPage, readSession, readState } from './reading.js';
import type { RemoteCode } from './refusal.js';
import type { RemoteCreated, RemotePage, RemoteSession } from './remote.js';

type Read<T, C extends readonly string[]> = Result<Call<T, Extract<C[number], Code>>, InvalidInput>;
type Code = (typeof createCodes | typeof changeCodes | typeof appendCodes)[number];

const listCodes = ['invalid_input', 'store_unavailable', 'corrupt_record'] as const;
export const readCodes = [...listCodes, 'not_found'] as const;
const createCodes = [...listCodes, 'idempotency_mismatch', 'conflict'] as const;
const changeCodes = [...readCodes, 'invalid_transition', 'conflict'] as const;
const appendCodes = [...readCodes, 'invalid_transition', 'history_full'] as const;

const inBody =
  <T>(read: (body: unknown) => T | undefined) =>
  ({ body }: Reply): { readonly value: T } | undefined => {
    const value = read(body);
    return value === undefined ? undefined : { value };
  };

/** Holds what is asked to its type where a chain of results would widen it. */
const asked = <T, C extends RemoteCode>(call: Call<T, C>): Call<T, C> => call;

/** JSON of what may be anything: what throws there is a mistake of the caller's. */
const jsonOf = (path: string, value: () => unknown): Result<string, InvalidInput> =>
  readSafely(path, () => JSON.stringify(value()));

/** Headers of a write: its name, and what its body is. */
const named = (name: string) => ({ 'Idempotency-Key': name });
const namedJson = (name: string) => ({ 'Content-Type': 'application/json', ...named(name) });

export const createCall = (input: CreateSessionInput): Read<RemoteCreated, typeof createCodes> =>
  readIdempotencyKey(input).andThen((key) =>
    jsonOf('input', () => {
      const { face, profile, behavior, context, timeLimit } = input;
      return { face, profile, behavior, context, time_limit: timeLimit };
    }).map((body) =>
      asked({
        outgoing: { method: 'POST', path: '/create-session', headers: namedJson(key), body },
        codes: createCodes,
        answer: inBody(readCreated),
      }),
    ),
  );

export const getCall = (id: string): Read<RemoteSession, typeof readCodes> =>
  readIdInPath(id).map((encodedId) =>
    asked({
      outgoing: { method: 'GET', path: `/session/${encodedId}` },
      codes: readCodes,
      context: { id },
      answer: inBody(readSession),
    }),
  );

export const listCall = (query: unknown): Read<RemotePage, typeof listCodes> =>
  readPagePath(query).map(({ path, page }) =>
    asked({
      outgoing: { method: 'GET', path },
      codes: listCodes,
      answer: (reply) => {
        const value = readPage(reply, page);
        return value && { value };
      },
    }),
  );

export const changeCall = (
  id: string,
  command: CallerCommand,
  options: WriteOptions,
): Read<SessionState, typeof changeCodes> =>
  readIdInPath(id).andThen((encodedId) =>
    readWriteName(options).map((name) =>
      asked({
        outgoing: { method: 'POST', path: `/${command}-session/${encodedId}`, headers: named(name) },
        codes: changeCodes,
        context: { id, command },
        answer: inBody(readState),
      }),
    ),
  );

export const appendCall = (id: string, entries: unknown, options: WriteOptions): Read<Appended, typeof appendCodes> =>
  readIdInPath(id).andThen((encodedId) =>
    readWriteName(options).andThen((name) =>
      jsonOf('entries', () => ({ entries })).map((body) =>
        asked({
          outgoing: { method: 'POST', path: `/append-history/${encodedId}`, headers: namedJson(name), body },
          codes: appendCodes,
          context: { id, command: 'append' },
          answer: inBody(readAppended),
        }),
      ),
    ),
  );

export const deleteCall = (id: string): Read<void, typeof listCodes> =>
  readIdInPath(id).map((encodedId) =>
    asked({
      outgoing: { method: 'POST', path: `/delete-session/${encodedId}` },
      codes: listCodes,
      context: { id },
      answer: ({ status }) => (status === 204 ? { value: undefined } : undefined),
    }),
  );
