import { about, like, named, optional, type Schema, typed } from '../schema/schema.js';
import { anyText } from '../schema/values.js';
import { count, instant, wireObject } from '../schema/wire.js';
import type { Message } from '../session/message.js';
import type { HistoryEntry, JsonValue, PositionedEntry } from '../session/session.js';

const isJson = (value: unknown): value is JsonValue => value !== undefined;

/** The OpenAPI document has the JSON Schema of a host in its place. */
const data: Schema<JsonValue> = named(
  'EntryData',
  about(
    'Data next to the text, like tool calls: any JSON value.',
    typed(isJson, 'is required', null),
  ),
);

const entryFields = {
  role: about('Who said it; usually user or assistant.', like('user', anyText)),
  content: about('What was said.', like('Hello', anyText)),
  timestamp: about('When it was said.', instant),
};

const entryMore = {
  id: optional(about('An id that the caller chose.', anyText)),
  data: optional(data),
};

/** A field that is only there if it holds. */
export const yes: Schema<true> = typed(
  (value): value is true => value === true,
  'must be true',
  true,
  () => ({
    type: 'boolean',
    const: true,
  }),
);

const turnNumber = about(
  'Number of the turn that wrote or took the entry, the same in all its attempts.',
  count(1),
);

const inTurn = {
  turn: optional(turnNumber),
  message: optional(about('Present if the entry came through the inbox.', yes)),
};

export const entry: Schema<HistoryEntry> = named(
  'HistoryEntry',
  about('One message of a session.', wireObject({ ...entryFields, ...entryMore, ...inTurn })),
);

export const positionedEntry: Schema<PositionedEntry> = named(
  'PositionedHistoryEntry',
  about(
    'A history entry with its position.',
    wireObject({
      ...entryFields,
      position: about('The position after it.', like(1, count())),
      ...entryMore,
      ...inTurn,
    }),
  ),
);

export const message: Schema<Message> = named(
  'Message',
  about(
    'A message of an inbox.',
    wireObject({
      ...entryFields,
      id: about('Its id.', like('m-1', anyText)),
      data: entryMore.data,
    }),
  ),
);
