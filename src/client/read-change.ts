import type { EventSourceMessage } from 'eventsource-parser';
import { changeData } from '../endpoints/event-shapes.js';
import type { Out } from '../schema/schema.js';
import { received } from '../schema/wire.js';
import type { RemoteChange } from '../service/remote-results.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { parseJson } from './read-reply.js';

type ChangeData = { readonly [T in keyof typeof changeData]: Out<(typeof changeData)[T]> };

/** A later version may send other events. */
export const isChange = (type: string): type is RemoteChange['type'] =>
  Object.hasOwn(changeData, type);

export const readChange = (
  sessionId: string,
  type: RemoteChange['type'],
  { id: cursor = '', data }: EventSourceMessage,
): RemoteChange | undefined => {
  const known = parseWatchCursor(cursor);
  if (known === undefined) return undefined;
  const { position } = known;
  const value = parseJson(data);
  switch (type) {
    case 'session.snapshot': {
      const found = received(changeData[type], value);
      if (found === undefined) return undefined;
      const { messages, ...session } = found;
      return { type, session, ...(messages && { messages }), position, cursor };
    }
    case 'session.changed': {
      const found = received(changeData[type], value);
      return found && { ...found, position, cursor };
    }
    case 'session.deleted':
    case 'session.expiring': {
      const found = received<ChangeData[typeof type]>(changeData[type], value);
      return found && { ...found, sessionId, cursor };
    }
  }
};
