import type { Database } from 'better-sqlite3';
import { UserError } from '../../../domain/errors.ts';
import { size } from '../../../domain/size.ts';
import { ok, problem } from '../../finding.ts';
import type { Invariant } from '../../invariants.ts';
import type { Inspection } from '../../maintenance.ts';
import { brokenInvariant, invariantFindings, notOurs, SUBJECTS_LOOKED_AT } from '../../work-findings.ts';
import { INVARIANTS } from '../schema/invariants.ts';
import { refuseForeign, SCHEMA_VERSION } from '../schema/migrations.ts';
import { Sql } from '../sql.ts';
import { isDamage, isDiskFailure, storageError } from '../sqlite-errors.ts';
import { lookAt } from './inspect-finding.ts';

/** What can be asked of a file: nothing of another program's, its bytes only of another version's. */
export type Contents = 'ours' | 'other version' | 'damaged' | 'unreadable' | 'none';

type Schema = { readonly contents: Contents; readonly finding: Inspection };

/** Whose file it is, and of which version. Where that cannot be read, what stands around it can be looked at all the same. */
export function inspectSchema(db: Database, path: string): Schema {
  try {
    return readSchema(db, path);
  } catch (error) {
    const known = storageError(error, path);
    if (!(known instanceof UserError) || !(isDamage(error) || isDiskFailure(error))) throw error;
    const contents = isDamage(error) ? 'damaged' : 'unreadable';
    return { contents, finding: problem('schema', known.message, known.next) };
  }
}

function readSchema(db: Database, path: string): Schema {
  const sql = new Sql(db);
  const version = sql.one<{ version: number }>(`SELECT user_version AS version FROM pragma_user_version`)?.version ?? 0;
  const tables = sql.one<{ tables: number }>(`SELECT count(*) AS tables FROM sqlite_schema`)?.tables ?? 0;
  refuseForeign(db, path, version);
  if (tables === 0) return { contents: 'none', finding: ok('schema', `${path} is empty; the first run sets it up`) };
  if (version === SCHEMA_VERSION) return { contents: 'ours', finding: ok('schema', `schema ${version}`) };
  const text = `schema ${version}; the next command that works on runs brings it to ${SCHEMA_VERSION}`;
  return { contents: 'other version', finding: ok('schema', text) };
}

/** Above this `integrity_check`, which compares each index with its table, would take long. */
const LARGE_BYTES = 256 * 1024 * 1024;
const LINES = 10;

const SIZE = `SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`;
const THOROUGH = `PRAGMA integrity_check(${LINES})`;
const QUICK = `PRAGMA quick_check(${LINES})`;

export function inspectIntegrity(db: Database, path: string): Inspection {
  const bytes = new Sql(db).one<{ bytes: number }>(SIZE)?.bytes ?? 0;
  const quick = bytes >= LARGE_BYTES;
  const [line = 'SQLite said nothing', ...more] = damages(db, quick ? QUICK : THOROUGH);
  if (line === 'ok') return ok('integrity', `${size(bytes)}, ${quick ? 'quick check' : 'checked page by page'}`);
  const text = line.replaceAll('\n', ' ');
  return problem('integrity', `${path} is damaged: ${text}${more.length > 0 ? `, and ${more.length} more` : ''}`, [
    `copy ${path}* to a safe place before anything else`,
    'check the disk; use another file: --db new.db',
  ]);
}

/** Of some damages SQLite makes no list, but stops. That the disk is full or fails says nothing about the pages. */
function damages(db: Database, check: string): readonly string[] {
  try {
    // One column, named after the pragma.
    return new Sql(db).all<{ [pragma: string]: string }>(check).flatMap(Object.values);
  } catch (error) {
    if (isDamage(error)) return [error.message];
    throw error;
  }
}

const BROKEN_REFERENCES = `
SELECT "table" AS child, parent, count(*) AS count FROM pragma_foreign_key_check GROUP BY "table", parent ORDER BY "table", parent`;

export function inspectReferences(db: Database): Inspection {
  const rows = new Sql(db).all<{ child: string; parent: string; count: number }>(BROKEN_REFERENCES);
  if (rows.length === 0) return ok('foreign-keys', 'every reference has its row');
  const list = rows.map(({ child, parent, count }) => `${count} of ${child} to ${parent}`).join(', ');
  return notOurs('foreign-keys', `references to rows that are not there: ${list}`);
}

/** Each fact that must hold of all rows; one finding for what holds, one for each that does not. */
export async function inspectRows(db: Database, path: string, check: Invariant['check']): Promise<readonly Inspection[]> {
  const findings: Inspection[] = [];
  for (const invariant of INVARIANTS.filter((one) => one.check === check)) {
    const found = await lookAt(check, path, () => brokenBy(db, invariant));
    // A damaged page is met by each of them.
    findings.push(...found.filter(({ message }) => findings.every((one) => one.message !== message)));
  }
  return invariantFindings(check, findings);
}

function brokenBy(db: Database, invariant: Invariant): readonly Inspection[] {
  const rows = new Sql(db).all<{ subject: string }>(`${invariant.sql} LIMIT ${SUBJECTS_LOOKED_AT}`);
  return brokenInvariant(
    invariant,
    rows.map(({ subject }) => subject),
  );
}
