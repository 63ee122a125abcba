import type { OperationErrors } from '../session/operation-errors.js';
import type { CallerCommand } from '../session/session-status.js';
import type { Answer, SessionKey } from '../store/session-store.js';
import { appendHistory } from './append-history.js';
import { cancelWork } from './cancel-work.js';
import { deleteSession } from './delete-session.js';
import { extendSession } from './extend-session.js';
import { leaseSession, renewLease } from './lease-session.js';
import type { OperationResults } from './operation-results.js';
import { readHistory } from './read-history.js';
import { readInbox } from './read-inbox.js';
import { readSession } from './read-session.js';
import { redactEntries } from './redact-entries.js';
import { releaseSession } from './release-session.js';
import { rewindHistory } from './rewind-history.js';
import { sendMessage } from './send-message.js';
import type { Settings } from './settings.js';
import { spendBudget } from './spend-budget.js';
import { changeSession, startSession } from './status-commands.js';
import { takeMessages } from './take-messages.js';
import { updateSession } from './update-session.js';
import { waitForAnswer } from './wait-for-answer.js';
import { wakeSession } from './wake-session.js';
import { withdrawMessages } from './withdraw-messages.js';

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
export const operationsByName: {
  readonly [N in OperationOnSession]: (
    settings: Settings,
    key: SessionKey,
    ...input: readonly unknown[]
  ) => Answer<OperationResults[N], OperationErrors[N]>;
} = operations;
