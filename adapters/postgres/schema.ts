import begin from './sql/begin.sql';
import bound from './sql/bound.sql';
import change from './sql/change.sql';
import commit from './sql/commit.sql';
import commitAll from './sql/commit-all.sql';
import publish from './sql/publish.sql';
import remove from './sql/remove.sql';
import tables from './sql/tables.sql';
import take from './sql/take.sql';
import totals from './sql/totals.sql';

/** The types, tables and procedures of a schema: each file may use those of the files before it. */
export const schema = [
  bound,
  tables,
  totals,
  commit,
  begin,
  change,
  remove,
  commitAll,
  take,
  publish,
].join('\n');
