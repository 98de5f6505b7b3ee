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
  const { text: numbered, names } = positional(text);
  const hash = createHash('sha256').update(bodyOf(gives, numbered)).update(SETTINGS).digest('hex').slice(0, 12);
  return { text, functionName: `${name.toLowerCase()}_${hash}`, parameters: names, gives };
}

// A plan is kept as long as its connection, in which an empty table becomes a big one: it must not rest on how big the tables are now.
// Every statement that is stored finds few rows through an index. An index that is read row by row also forgets the dead ones it meets.
const SETTINGS = `
SET plan_cache_mode = 'force_generic_plan' SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off`;

/** The statement that makes the function, of which `types` are the parameters. */
export function definitionOf({ functionName, text, gives }: StoredStatement, types: readonly string[]): string {
  const returns = gives === 'rows' ? 'json' : 'bigint';
  return `
CREATE FUNCTION ${functionName}(${types.join(', ')}) RETURNS ${returns} LANGUAGE plpgsql ${SETTINGS}
AS $stored$${bodyOf(gives, positional(text).text)}$stored$`;
}

function bodyOf(gives: StoredStatement['gives'], text: string): string {
  if (gives === 'changes') {
    return `
#variable_conflict use_column
DECLARE stored_count bigint;
BEGIN
${text};
GET DIAGNOSTICS stored_count = ROW_COUNT;
RETURN stored_count;
END`;
  }
  return `
#variable_conflict use_column
DECLARE stored_row record; stored_rows json[] := '{}';
BEGIN
FOR stored_row IN ${text}
LOOP
stored_rows := array_append(stored_rows, row_to_json(stored_row));
END LOOP;
RETURN array_to_json(stored_rows);
END`;
}
