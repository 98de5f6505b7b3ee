import type { ClientBase } from 'pg';

type Value = string | number | boolean | null;

/** Values by name (`:name` in the text); a list is bound as an array. */
export type Params = { readonly [name: string]: Value | readonly (Value | Uint8Array)[] };

/** A text of ours as PostgreSQL takes it: `:name` became `$1`. */
export type Statement = { readonly text: string; readonly names: readonly string[] };

/**
 * One transaction's statements, in the order in which they are given, whether their answers are waited for or not: what is asked after a
 * change sees it. `Row` is what a statement selects, its columns in camel case: the schema's types and CHECKs stand behind it, so rows are
 * not parsed again. Statements are not prepared by name: a pooler hands each transaction another session.
 */
export class Sql {
  readonly #client: ClientBase;
  readonly #statements: Map<string, Statement>;
  readonly #sent: Promise<void>[] = [];
  #failure: unknown = null;

  /** `statements` outlives the transaction, so that each text is read once. */
  constructor(client: ClientBase, statements: Map<string, Statement>) {
    this.#client = client;
    this.#statements = statements;
  }

  /** The first row, or `undefined`. */
  async one<Row>(text: string, params: Params = {}): Promise<Row | undefined> {
    return (await this.all<Row>(text, params))[0];
  }

  async all<Row>(text: string, params: Params = {}): Promise<Row[]> {
    const { fields, rows } = await this.#query(text, params);
    const names = fields.map(({ name }) => camelCase(name));
    return rows.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])) as Row);
  }

  /** How many rows the statement changed. */
  async run(text: string, params: Params = {}): Promise<number> {
    return (await this.#query(text, params)).rowCount ?? 0;
  }

  /** Sends a change whose answer nobody waits for: should it fail, so does the transaction. */
  send(text: string, params: Params = {}): void {
    this.#later(this.#query(text, params).then(() => undefined));
  }

  /** Sends a change that must hit exactly one row; anything else is a bug and undoes the transaction. */
  sendOne(text: string, params: Params): void {
    this.#later(this.#query(text, params).then(({ rowCount }) => expectOne(rowCount ?? 0, text)));
  }

  /** Resolves when all that was sent is done; rejects with what failed. */
  async done(): Promise<void> {
    await Promise.all(this.#sent);
  }

  /** What failed first: all that comes after it in a transaction only fails because of it. */
  cause(error: unknown): unknown {
    return this.#failure ?? error;
  }

  #later(change: Promise<void>): void {
    change.catch(() => undefined);
    this.#sent.push(change);
  }

  async #query(text: string, params: Params) {
    const statement = this.#statementOf(text);
    const values = statement.names.map((name) => bound(name, params[name]));
    try {
      return await this.#client.query<unknown[]>({ text: statement.text, values, rowMode: 'array' });
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  #statementOf(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = positional(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

function expectOne(changes: number, text: string): void {
  if (changes !== 1) throw new Error(`Expected one row to change, got ${changes}: ${text.trim().slice(0, 80)}`);
}

/** Not a cast (`::text`), nor the middle of a word. */
const NAME = /(?<![:\w]):([a-zA-Z]\w*)/g;

function positional(text: string): Statement {
  const names: string[] = [];
  const numbered = text.replace(NAME, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}

function bound(name: string, value: Params[string] | undefined): unknown {
  if (value === undefined) throw new Error(`No value for :${name}`);
  if (typeof value !== 'object' || value === null) return storable(value);
  return value.map(storable);
}

/** PostgreSQL's texts hold no NUL. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value for a `jsonb` column, which takes no NUL. */
export function toJsonb(value: unknown): string {
  return JSON.stringify(value).replaceAll('\\u0000', '\\ufffd');
}
