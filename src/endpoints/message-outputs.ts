import { about, like, named, optional, type Schema } from '../schema/schema.js';
import { anyText, oneOf } from '../schema/values.js';
import { count, wireList, wireObject } from '../schema/wire.js';
import type {
  Released,
  Reply,
  Sent,
  TakenMessages,
  WithdrawnMessages,
} from '../service/turn-results.js';
import type { Message } from '../session/message.js';
import { message, positionedEntry, yes } from './entry-outputs.js';

export const sentMessage: Schema<Sent> = named(
  'SentMessage',
  about(
    'The message, and what has become of it.',
    wireObject({
      id: like('m-1', anyText),
      state: oneOf(['waiting', 'taken', 'answered', 'withdrawn', 'superseded']),
    }),
  ),
);

export const inboxMessages: Schema<readonly Message[]> = about(
  'The messages that wait, oldest first.',
  wireList(message),
);

export const withdrawnMessages: Schema<WithdrawnMessages> = named(
  'WithdrawnMessages',
  about(
    'What was withdrawn, and what was not.',
    wireObject({
      withdrawn: about('The withdrawn messages, oldest first.', wireList(message)),
      taken: about('Ids of messages that a turn had taken before.', like([], wireList(anyText))),
    }),
  ),
);

export const takenMessages: Schema<TakenMessages> = named(
  'TakenMessages',
  about(
    'The messages that a turn has taken.',
    wireObject({
      messages: about('Oldest first; often none.', wireList(message)),
      position: about('The position at the end of the history.', like(1, count())),
    }),
  ),
);

/** Over HTTP, no call runs a turn. */
export const answerToMessage: Schema<Omit<Reply, 'ran' | 'stopped'>> = named(
  'Answer',
  about(
    'The answer to a message.',
    wireObject({
      content: about(
        'The last text of the assistant; empty if there is none.',
        like('Bridges, mostly.', anyText),
      ),
      entries: about('What the turn has said after the message.', wireList(positionedEntry)),
      repeated: optional(about('Present if it was answered before this request.', yes)),
    }),
  ),
);

export const released: Schema<Released> = named(
  'ReleasedSession',
  about(
    'The lease has ended.',
    wireObject({
      stopped: optional(
        about('Present if the turn was cancelled: its entries are its last words.', yes),
      ),
    }),
  ),
);
