import { toWireOptions } from '../../wire.js';
import type { ReadSession } from './source.js';

/** A session in the form of the HTTP interface, with the reason of its end where that is known. */
export const sessionObject = ({ id, status, endReason, options, history, createdAt, duration }: ReadSession) => ({
  id,
  status,
  ...(endReason === undefined ? {} : { end_reason: endReason }),
  options: toWireOptions(options),
  history: history.map(({ role, content, timestamp }) => ({ role, content, timestamp })),
  created_at: createdAt,
  duration,
});
