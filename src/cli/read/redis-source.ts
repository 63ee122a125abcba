import { err, ok, type Result } from 'neverthrow';
import { SessionService } from '../../service/session-service.js';
import type { EventLog } from '../../store.js';
import { type Failure, failure } from '../failure.js';
import type { RedisPlace } from '../redis-settings.js';
import { openStore } from '../store.js';
import { explain, type ReadChange, reading, type SessionSource, UNTOLD } from './source.js';

/** Behind no event at all. */
const NEVER = '0-0';

/** Whether any change was ever told: where none was, nobody would ever come to see one. */
const isTold = async (events: EventLog, tenant: string, place: string): Promise<Result<void, Failure>> => {
  const latest = await events.latest(events.streamOf(tenant));
  if (latest.isErr()) return err(explain(place, latest.error));
  return latest.value === NEVER ? err(failure(`${place}: ${UNTOLD}`)) : ok(undefined);
};

/**
 * A tenant's sessions, straight from Redis. A list by status is not asked for: the library would write down the ends that
 * it meets, by the rules of this process and not by those of the service that the sessions belong to.
 */
export const openRedisSource = async (redis: RedisPlace, tenant: string): Promise<Result<SessionSource, Failure>> => {
  const opened = await openStore(redis, { events: true });
  return opened.map(({ store, place, close }): SessionSource => {
    const sessions = new SessionService({ store, tenant });
    const named = `tenant ${tenant} in ${place}`;
    async function* watch(id: string): AsyncGenerator<Result<ReadChange, Failure>, void> {
      const told = store.events === undefined ? ok(undefined) : await isTold(store.events, tenant, named);
      if (told.isErr()) {
        yield err(told.error);
        return;
      }
      for await (const change of sessions.watch(id)) yield change.mapErr((error) => explain(named, error));
    }
    return {
      listsByStatus: false,
      ...reading(sessions, named),
      watch,
      close,
    };
  });
};
