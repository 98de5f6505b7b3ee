import { createHash } from 'node:crypto';
import { positional } from './statement.ts';

/** Texts of statements by their names: such as are asked for rows, and such as change rows, whose number is the answer. */
export type StoredTexts = {
  readonly rows?: { readonly [name: string]: string };
  readonly changes?: { readonly [name: string]: string };
};

/** A statement that the schema holds as a function. `parameters`: names of its values, in the order in which the function takes them. */
export type StoredStatement = {
  readonly text: string;
  readonly functionName: string;
  readonly parameters: readonly string[];
  readonly gives: 'rows' | 'changes';
};

export function storedStatements(groups: readonly StoredTexts[]): readonly StoredStatement[] {
  return groups.flatMap(({ rows = {}, changes = {} }) => [
    ...Object.entries(rows).map(([name, text]) => storedStatement(name, text, 'rows')),
    ...Object.entries(changes).map(([name, text]) => storedStatement(name, text, 'changes')),
  ]);
}

function storedStatement(name: string, text: string, gives: StoredStatement['gives']): StoredStatement {
  const { names } = positional(text);
  const hash = createHash('sha256').update(bodyOf({ gives, text })).update(SETTINGS).digest('hex').slice(0, 12);
  return { text, functionName: `${name.toLowerCase()}_${hash}`, parameters: names, gives };
}

// A plan is kept as long as its connection, in which an empty table becomes a big one: it must not rest on how big the tables are now.
// Every statement that is stored finds few rows through an index. An index that is read row by row also forgets the dead ones it meets.
const SETTINGS = `
SET plan_cache_mode = 'force_generic_plan' SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off`;

/** The statement that makes the function, of which `types` are the parameters: of a change one more, whether it must hit exactly one row. */
export function definitionOf({ functionName, text, gives }: StoredStatement, types: readonly string[]): string {
  const returns = gives === 'rows' ? 'json' : 'bigint';
  return `
CREATE FUNCTION ${functionName}(${[...types, ...(gives === 'rows' ? [] : ['boolean'])].join(', ')}) RETURNS ${returns} LANGUAGE plpgsql ${SETTINGS}
AS $stored$${bodyOf({ gives, text })}$stored$`;
}

function bodyOf({ gives, text }: Pick<StoredStatement, 'gives' | 'text'>): string {
  const { text: numbered, names } = positional(text);
  if (gives === 'changes') {
    return `
#variable_conflict use_column
DECLARE stored_count bigint;
BEGIN
${numbered};
GET DIAGNOSTICS stored_count = ROW_COUNT;
IF $${names.length + 1} AND stored_count <> 1 THEN
  RAISE EXCEPTION 'Expected one row to change, got %', stored_count;
END IF;
RETURN stored_count;
END`;
  }
  return `
#variable_conflict use_column
DECLARE stored_row record; stored_rows json[] := '{}';
BEGIN
FOR stored_row IN ${numbered}
LOOP
stored_rows := array_append(stored_rows, row_to_json(stored_row));
END LOOP;
RETURN array_to_json(stored_rows);
END`;
}
