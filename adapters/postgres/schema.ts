import begin from './sql/begin.sql';
import bound from './sql/bound.sql';
import change from './sql/change.sql';
import claim from './sql/claim.sql';
import commit from './sql/commit.sql';
import commitAll from './sql/commit-all.sql';
import publish from './sql/publish.sql';
import remove from './sql/remove.sql';
import tables from './sql/tables.sql';
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
  claim,
  publish,
].join('\n');
