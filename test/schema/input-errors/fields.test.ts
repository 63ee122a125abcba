import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionClient } from '../../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
} from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';
import type { Fields } from '../../../src/session/fields.js';
import { adapters, constructors } from './constructors.js';
import { ANY, type Entrance, saidOf } from './entrance.js';
import {
  commonOperations,
  entryOperations,
  type Operation,
  serviceOperations,
} from './operations.js';

const sessions = new SessionService({
  store: new MemorySessionStore({ events: true }),
  limits: { metadataBytes: 50_000 },
});
await sessions.orThrow.create({ id: 's1', face: 'ada', profile: 'tutor', start: true });

const routes = [commandRoutes(), historyRoutes(), eventRoutes()];
const serve = fetchHandler(
  createSessionHandler({ sessions, routes, authenticate: () => 'default' }),
);
const client = new SessionClient({
  baseUrl: 'https://sessions.example',
  fetch: (url, init) => serve(new Request(url, init)),
});

const entranceOf = (
  on: SessionService | SessionClient,
  { method, before, fits = {}, ...rest }: Operation,
): Entrance => ({
  ...rest,
  fits,
  name: `${on.constructor.name}.${method} (${rest.root})`,
  call: (given) => {
    const more = rest.root === 'entries[0]' ? [given] : given;
    const use = method === 'withLease' ? [() => ok(1)] : [];
    return Reflect.apply(Reflect.get(on, method), on, [...before, more, ...use]);
  },
});

const entrances: readonly Entrance[] = [
  ...[...commonOperations, ...serviceOperations, ...entryOperations].map((operation) =>
    entranceOf(sessions, operation),
  ),
  ...commonOperations.map((operation) =>
    // The client calls what the service takes as the options of these `input`.
    entranceOf(
      client,
      /^(wake|cancel)$/.test(operation.method) ? { ...operation, root: 'input' } : operation,
    ),
  ),
  ...constructors,
  ...adapters,
];

const doubled = (name: string): string => `${name.slice(0, 1)}${name}`;

/** A value of a type that no field has. */
const WRONG = [[() => 7]];

/** The rule that is reported for a field or a part of it; otherwise the whole message. */
const ruleFor = (path: string, said: string): string => {
  const told = said.split('; ').find((rule) => rule.startsWith(path));
  return told?.slice(path.length).replace(/^[\w.[\]]+/, '') ?? said;
};

const RULE = /^ (must|is|cannot be|can be|needs) /;

const fieldsOf = (of: (value: unknown, name: string) => Fields[]) =>
  entrances.flatMap((entrance) =>
    Object.entries(entrance.fields).flatMap(([name, outside]) =>
      of(outside, name).map((given) => ({
        entrance,
        name,
        in: entrance.name,
        given: { ...entrance.fits, ...given },
        path: `${entrance.within ?? ''}${name}`,
      })),
    ),
  );

describe('an unknown field is reported with the nearest known name', () => {
  test.each(fieldsOf((_, name) => [{ [doubled(name)]: 1 }]))('$in: $name', async (each) => {
    const { entrance, name, given } = each;
    const said = await saidOf(entrance, given);
    expect(said.split('; ')).toContain(
      `${entrance.within ?? ''}${doubled(name)} is unknown (did you mean ${name}?)`,
    );
  });
});

describe('a field of another type is reported with its rule', () => {
  test.each(fieldsOf((_, name) => [{ [name]: WRONG }]))('$in: $name', async (each) => {
    const said = await saidOf(each.entrance, each.given);
    expect(ruleFor(each.path, said)).toMatch(RULE);
  });
});

describe('a field out of range is reported with its rule', () => {
  test.each(fieldsOf((value, name) => (value === ANY ? [] : [{ [name]: value }])))(
    '$in: $name',
    async (each) => {
      const said = await saidOf(each.entrance, each.given);
      expect(ruleFor(each.path, said)).toMatch(RULE);
    },
  );
});

describe('a field whose getter throws is reported by name', () => {
  test.each(fieldsOf((_, name) => [{ [name]: undefined }]))('$in: $name', async (each) => {
    const given = Object.defineProperty({ ...each.given }, each.name, {
      enumerable: true,
      get: () => {
        throw new Error('secret');
      },
    });
    const said = await saidOf(each.entrance, given);
    expect(said.split('; ')).toContain(`${each.path} cannot be read: it throws`);
  });
});

describe("a non-object is reported by the argument's name", () => {
  const cases = entrances.flatMap((entrance) =>
    [null, 7, ...(entrance.takesText ? [] : ['text']), ['x']].map((given) => ({
      entrance,
      in: entrance.name,
      given,
    })),
  );
  test.each(cases)('$in: $given', async ({ entrance, given }) => {
    const said = await saidOf(entrance, given);
    expect(said.split('; ')).toContain(`${entrance.root} must be an object`);
  });
});
