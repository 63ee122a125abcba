import { err, ok, type Result } from 'neverthrow';
import type { HistoryEntry } from '../../session/session.js';
import type { Failure } from '../failure.js';
import type { SessionSource } from '../read/source.js';
import type { View } from './view.js';

/** Shows a session, and then what it does, until it has ended, is deleted, or nobody looks on. */
export const follow = async (source: SessionSource, id: string, view: View): Promise<Result<void, Failure>> => {
  let shown: number | undefined;
  const news = (history: readonly HistoryEntry[]): readonly HistoryEntry[] => {
    const added = history.slice(shown ?? 0);
    shown = history.length;
    return added;
  };
  for await (const item of source.watch(id)) {
    if (item.isErr()) return err(item.error);
    const change = item.value;
    let isSeen: boolean;
    if (change.type === 'session.snapshot') {
      const isFirst = shown === undefined;
      const added = news(change.session.history);
      isSeen = isFirst ? await view.session(change.session) : await view.again(change.session, added);
    } else if (change.type === 'session.appended') {
      // The event does not say what was appended. A session that is gone meanwhile is told of next.
      const session = await source.get(id);
      isSeen = await view.event(change, session.isOk() ? news(session.value.history) : []);
    } else isSeen = await view.event(change, []);
    if (!isSeen) break;
  }
  return ok(undefined);
};
