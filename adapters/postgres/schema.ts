import append from './sql/append.sql';
import change from './sql/change.sql';
import changeAll from './sql/change-all.sql';
import claim from './sql/claim.sql';
import insert from './sql/insert.sql';
import publish from './sql/publish.sql';
import redact from './sql/redact.sql';
import remove from './sql/remove.sql';
import replace from './sql/replace.sql';
import reschedule from './sql/reschedule.sql';
import tables from './sql/tables.sql';
import totals from './sql/totals.sql';

/** What version 1 makes in a schema: each file may use the tables and types of those before it. */
export const version1 = [
  tables,
  totals,
  change,
  insert,
  replace,
  append,
  redact,
  remove,
  reschedule,
  changeAll,
  claim,
  publish,
].join('\n');
