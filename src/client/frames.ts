import type { EventSourceMessage } from 'eventsource-parser';
import { isPosition } from '../events/position.js';
import { type Fields, isFields } from '../input/values.js';
import { isEndReason } from '../status.js';
import { parseJson } from './parse-json.js';
import { isText, isWhole, readSession } from './reading.js';
import type { RemoteChange, RemoteEvent } from './remote.js';

/** What one event of the stream says. */
export type Frame =
  | { readonly kind: 'change'; readonly change: RemoteChange }
  | { readonly kind: 'end' }
  | { readonly kind: 'unavailable'; readonly code: string }
  /** Of a kind that a later version may have. */
  | { readonly kind: 'other' }
  | { readonly kind: 'broken' };

const broken: Frame = { kind: 'broken' };

const parse = (text: string): Fields => {
  const value = parseJson(text);
  return isFields(value) ? value : {};
};

const plainTypes = [
  'session.created',
  'session.started',
  'session.paused',
  'session.resumed',
  'session.deleted',
] as const satisfies readonly RemoteEvent['type'][];

/** One change; nothing if what it tells is not what its type has, `other` if the type is none that is known here. */
const readEvent = (sessionId: string, position: string, type: string, fields: Fields): Frame => {
  const { id, sequence, at, end_reason: endReason, position: historyPosition } = fields;
  if (!isText(id) || !isWhole(sequence) || !isText(at)) return broken;
  const base = { id, sessionId, sequence, at, position };
  const plain = plainTypes.find((one) => one === type);
  if (plain !== undefined) return { kind: 'change', change: { ...base, type: plain } };
  if (type === 'session.terminated') {
    return isEndReason(endReason) ? { kind: 'change', change: { ...base, type, endReason } } : broken;
  }
  if (type === 'session.appended') {
    return isWhole(historyPosition) ? { kind: 'change', change: { ...base, type, historyPosition } } : broken;
  }
  return { kind: 'other' };
};

const readExpiring = (sessionId: string, position: string, fields: Fields): Frame => {
  const { at, ends_at: endsAt, end_reason: endReason } = fields;
  if (!isText(at) || !isText(endsAt) || !isEndReason(endReason)) return broken;
  return { kind: 'change', change: { type: 'session.expiring', sessionId, at, endsAt, endReason, position } };
};

/** What an event says of a session. */
export const readFrame = (sessionId: string, { id: position, event = '', data }: EventSourceMessage): Frame => {
  if (event === 'end') return { kind: 'end' };
  const fields = parse(data);
  if (event === 'unavailable') {
    const { code } = fields;
    return isText(code) ? { kind: 'unavailable', code } : broken;
  }
  if (!event.startsWith('session.')) return { kind: 'other' };
  if (position === undefined || !isPosition(position)) return broken;
  if (event === 'session.expiring') return readExpiring(sessionId, position, fields);
  if (event !== 'session.snapshot') return readEvent(sessionId, position, event, fields);
  const session = readSession(fields);
  return session === undefined ? broken : { kind: 'change', change: { type: event, session, position } };
};
