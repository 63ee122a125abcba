import append from './sql/append.sql';
import bound from './sql/bound.sql';
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

/** The types, tables and procedures of a schema: each file may use those of the files before it. */
export const schema = [
  bound,
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
