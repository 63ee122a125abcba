import { err, ok, Result } from 'neverthrow';
import { isSessionStatus, type SessionStatus, sessionStatuses } from '../../status.js';
import type { ListOrder } from '../../store.js';
import { type Environment, parseArguments } from '../command.js';
import { readWholeNumber } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { readSourceSettings, type SourceSettings, sourceOptions } from '../read/settings.js';

/** Which sessions are listed. */
export interface ListFilter {
  readonly status?: SessionStatus;
  readonly order?: ListOrder;
  readonly after?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

export interface ListSettings {
  readonly source: SourceSettings;
  readonly filter: ListFilter;
  /** The most sessions that are listed. */
  readonly limit: number;
  readonly json: boolean;
}

const MOST = 1_000_000;

const readStatus = (text: string | undefined): Result<SessionStatus | undefined, Failure> => {
  const status = text?.toUpperCase();
  return status === undefined || isSessionStatus(status)
    ? ok(status)
    : err(misuse(`--status must be one of ${sessionStatuses.join(', ')}`));
};

const readOrder = (text: string | undefined): Result<ListOrder | undefined, Failure> =>
  text === undefined || text === 'newest' || text === 'oldest'
    ? ok(text)
    : err(misuse('--order must be newest or oldest'));

export const readListSettings = (args: readonly string[], env: Environment): Result<ListSettings, Failure> =>
  parseArguments({
    args: [...args],
    options: {
      ...sourceOptions,
      status: { type: 'string' },
      limit: { type: 'string', default: '20' },
      order: { type: 'string' },
      after: { type: 'string' },
      'created-after': { type: 'string' },
      'created-before': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  }).andThen(({ values }) =>
    Result.combine([
      readStatus(values.status),
      readOrder(values.order),
      readWholeNumber('--limit', values.limit, 1, MOST),
      readSourceSettings(values, env),
    ]).map(([status, order, limit, source]) => {
      const { after, 'created-after': createdAfter, 'created-before': createdBefore, json } = values;
      const filter = {
        ...(status === undefined ? {} : { status }),
        ...(order === undefined ? {} : { order }),
        ...(after === undefined ? {} : { after }),
        ...(createdAfter === undefined ? {} : { createdAfter }),
        ...(createdBefore === undefined ? {} : { createdBefore }),
      };
      return { source, filter, limit, json };
    }),
  );
