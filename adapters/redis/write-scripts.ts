import { type Script, scriptOf } from './connection.js';
import appendLua from './scripts/append.lua';
import argumentsLua from './scripts/arguments.lua';
import changeLua from './scripts/change.lua';
import deliverLua from './scripts/deliver.lua';
import fieldsLua from './scripts/fields.lua';
import groupLua from './scripts/group.lua';
import historyLua from './scripts/history.lua';
import inboxLua from './scripts/inbox.lua';
import indexesLua from './scripts/indexes.lua';
import recordLua from './scripts/record.lua';
import redactLua from './scripts/redact.lua';
import removeLua from './scripts/remove.lua';
import repairLua from './scripts/repair.lua';
import rewindLua from './scripts/rewind.lua';
import sessionLua from './scripts/session.lua';
import spendLua from './scripts/spend.lua';
import takeLua from './scripts/take.lua';

export interface Mutation {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const parts = [fieldsLua, recordLua, groupLua, sessionLua];

const changing = [
  ...[...parts, argumentsLua, historyLua, indexesLua],
  ...[inboxLua, deliverLua, rewindLua],
];

/** Each script contains only what it needs: the server defines its functions anew in each call. */
export const writeScripts = {
  append: scriptOf(fieldsLua, groupLua, historyLua, appendLua),
  change: scriptOf(...changing, changeLua),
  spend: scriptOf(...changing, spendLua, changeLua),
  remove: scriptOf(...parts, argumentsLua, indexesLua, removeLua),
  redact: scriptOf(...parts, argumentsLua, historyLua, inboxLua, redactLua),
  take: scriptOf(fieldsLua, recordLua, groupLua, indexesLua, takeLua),
  repair: scriptOf(fieldsLua, recordLua, groupLua, argumentsLua, indexesLua, repairLua),
};
