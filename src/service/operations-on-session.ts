import type { OperationErrors } from '../session/operation-errors.js';
import type { CallerCommand } from '../session/session-status.js';
import type { Answer, SessionKey } from '../store/session-store.js';
import { waitForAnswer } from './answers.js';
import { appendHistory, redactEntries } from './change-history.js';
import { changeSession, extendSession, startSession } from './change-session.js';
import { deleteSession } from './delete-session.js';
import { readInbox, sendMessage, withdrawMessages } from './messages.js';
import type { OperationResults } from './operation-results.js';
import { readHistory, readSession } from './read-session.js';
import { rewindHistory } from './rewind-history.js';
import { cancelWork, leaseSession, renewLease, wakeSession } from './session-work.js';
import type { Settings } from './settings.js';
import { spendBudget } from './spend.js';
import { releaseSession, takeMessages } from './turn-commits.js';
import { updateSession } from './update-session.js';

const command = (name: CallerCommand) => (settings: Settings, key: SessionKey, options: unknown) =>
  changeSession(settings, key, name, options);

const operations = {
  get: readSession,
  history: readHistory,

  start: startSession,
  pause: command('pause'),
  resume: command('resume'),
  terminate: command('terminate'),
  fail: command('fail'),
  extend: extendSession,
  update: updateSession,
  spend: spendBudget,
  delete: deleteSession,

  append: appendHistory,
  rewind: rewindHistory,
  redact: redactEntries,
  send: sendMessage,
  inbox: readInbox,
  withdraw: withdrawMessages,
  answer: waitForAnswer,

  wake: wakeSession,
  cancel: cancelWork,
  lease: leaseSession,
  renew: renewLease,
  release: releaseSession,
  take: takeMessages,
};

export type OperationOnSession = keyof typeof operations;

/** The operations on one session, by name. Each reads its own arguments, which may be anything. */
export const operationsOnSession: {
  readonly [N in OperationOnSession]: (
    settings: Settings,
    key: SessionKey,
    ...input: readonly unknown[]
  ) => Answer<OperationResults[N], OperationErrors[N]>;
} = operations;
