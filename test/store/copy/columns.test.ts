import { afterAll, expect, test } from 'vitest';
import { COPIED_TABLES } from '../../../src/store/copy/copied-tables.ts';
import { TestSchemas } from '../postgres/open-store.ts';
import { openTempStore } from '../sqlite/open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const clock = () => 0;

/** What is of a store alone: who works on it, who writes its files, which one it is. */
const OWN = ['aieval_migrations', 'commit_marks', 'file_locks', 'store', 'unfinished_copy', 'watched_leases', 'workers'];

/** Columns that follow from others: in a copy they are made anew. */
const FOLLOWS = {
  sqlite: ['steps.failure_key', 'step_inputs.step_id'],
  postgres: [
    ...['budget_groups.group_name', 'jobs.result_verdict', 'step_inputs.input_kind', 'step_inputs.step_id'],
    ...['job_plans.run_id', 'job_plans.job_id', 'job_results.run_id', 'job_results.job_id'],
    ...['key_records.endpoint', 'key_records.model', 'key_records.namespace', 'key_records.prompt_sha256'],
  ],
};

/** Where a column stands that is copied as one of another table. */
const ELSEWHERE: { readonly [column: string]: string } = {
  'step_inputs.input': 'steps.input',
  'step_inputs.reask': 'steps.reask',
  'job_plans.later': 'jobs.later',
  'job_results.result': 'jobs.result',
};

/** Rows that have no number of their own stand where SQLite keeps them. */
const BY_ROWID = ['calls.position', 'responses.position', 'runs.position'];

const COPIED = COPIED_TABLES.flatMap(({ name, columns }) => Object.keys(columns).map((column) => `${name}.${column}`)).sort();

function copied(catalog: readonly string[], follows: readonly string[]): string[] {
  const counts = catalog.filter((column) => !OWN.includes(column.split('.')[0] ?? '') && !follows.includes(column));
  return counts.map((column) => ELSEWHERE[column] ?? column).sort();
}

test('every column of a SQLite store is copied, follows from what is, or is the store’s own', async () => {
  const { db, dispose } = await openTempStore(clock);
  const catalog = db
    .prepare<[], string>(
      `SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all();
  await dispose();
  expect([...copied(catalog, FOLLOWS.sqlite), ...BY_ROWID].sort()).toEqual(COPIED);
});

test('every column of a PostgreSQL store is copied, follows from what is, or is the store’s own', async () => {
  const { db, schema, dispose } = await schemas.open(clock);
  const { rows } = await db.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = $1`,
    [schema],
  );
  await dispose();
  expect(
    copied(
      rows.map(({ name }) => name),
      FOLLOWS.postgres,
    ),
  ).toEqual(COPIED);
});

test('numbers that a server gives are all told to go on after the rows that are there', async () => {
  const { db, schema, dispose } = await schemas.open(clock);
  const { rows } = await db.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND is_identity = 'YES' ORDER BY 1`,
    [schema],
  );
  await dispose();
  const { GIVEN } = await import('../../../src/store/postgres/copy/writer.ts');
  expect(GIVEN.map((pair) => pair.join('.')).sort()).toEqual(rows.map(({ name }) => name).sort());
});
