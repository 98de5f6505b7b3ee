import type { ClientBase } from 'pg';
import { Batch } from './batch.ts';
import { positional, type Statement } from './statement.ts';
import type { StoredStatement } from './stored-statement.ts';

type Value = string | number | boolean | null;

/** Values by name (`:name` in the text); a list is bound as an array. */
export type Params = { readonly [name: string]: Value | readonly (Value | Uint8Array)[] };

/** What a store's transactions know of their statements, so that each text is read once. */
export class Statements {
  readonly #stored: ReadonlyMap<string, StoredStatement>;
  readonly #known = new Map<string, Statement>();

  /** `stored`: those that the schema holds as functions. */
  constructor(stored: readonly StoredStatement[] = []) {
    this.#stored = new Map(stored.map((one) => [one.text, one]));
  }

  storedOf(text: string): StoredStatement | undefined {
    return this.#stored.get(text);
  }

  of(text: string): Statement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const statement = positional(text);
    this.#known.set(text, statement);
    return statement;
  }
}

/**
 * One transaction's statements, in the order in which they are given, whether their answers are waited for or not: what is asked after a
 * change sees it. `Row` is what a statement selects, its columns in camel case: the schema's types and CHECKs stand behind it, so rows are
 * not parsed again. Statements are not prepared by name: a pooler hands each transaction another session. Those of a job's way are stored
 * in the schema instead, where each session keeps their plans, and what is asked at once is sent as one.
 */
export class Sql {
  readonly #client: ClientBase;
  readonly #statements: Statements;
  readonly #batch: Batch;
  readonly #sent: Promise<void>[] = [];
  #failure: unknown = null;
  #isOver = false;
  #hasUnchecked = false;

  constructor(client: ClientBase, statements = new Statements()) {
    this.#client = client;
    this.#statements = statements;
    this.#batch = new Batch(client);
  }

  /** The first row, or `undefined`. */
  async one<Row>(text: string, params: Params = {}): Promise<Row | undefined> {
    return (await this.all<Row>(text, params))[0];
  }

  async all<Row>(text: string, params: Params = {}): Promise<Row[]> {
    const stored = this.#statements.storedOf(text);
    if (stored !== undefined) return storedRows<Row>(await this.#ask(stored, params));
    const { fields, rows } = await this.#query(text, params);
    const names = fields.map(({ name }) => camelCase(name));
    return rows.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])) as Row);
  }

  /** How many rows the statement changed. */
  async run(text: string, params: Params = {}): Promise<number> {
    const stored = this.#statements.storedOf(text);
    return stored === undefined ? ((await this.#query(text, params)).rowCount ?? 0) : Number(await this.#ask(stored, params));
  }

  /** Sends a change whose answer nobody waits for: should it fail, so does the transaction. */
  send(text: string, params: Params = {}): void {
    this.#later(this.#changed(text, params, false).then(() => undefined));
  }

  /** Sends a change that must hit exactly one row; anything else is a bug and undoes the transaction. */
  sendOne(text: string, params: Params): void {
    // Of what is stored the server looks itself.
    this.#hasUnchecked ||= this.#statements.storedOf(text) === undefined;
    this.#later(this.#changed(text, params, true).then((changes) => expectOne(changes, text)));
  }

  /** A change must hit exactly one row, and only its answer says whether it did. */
  get hasUnchecked(): boolean {
    return this.#hasUnchecked;
  }

  /** Resolves when all that was sent is done; rejects with what failed. */
  async done(): Promise<void> {
    this.#batch.flush();
    await Promise.all(this.#sent);
  }

  /** What failed first: all that comes after it in a transaction only fails because of it. Nothing is sent any more. */
  failed(error: unknown): unknown {
    this.#isOver = true;
    this.#batch.drop();
    return this.#failure ?? error;
  }

  #later(change: Promise<void>): void {
    change.catch(() => undefined);
    this.#sent.push(change);
  }

  /** A change that nobody waits for goes with the next statement. */
  #changed(text: string, params: Params, one: boolean): Promise<number> {
    const stored = this.#statements.storedOf(text);
    if (stored === undefined) return this.#query(text, params).then(({ rowCount }) => rowCount ?? 0);
    return this.#add(stored, params, one).then(Number);
  }

  #ask(stored: StoredStatement, params: Params): Promise<unknown> {
    const answer = this.#add(stored, params, false);
    // What else is asked meanwhile goes with it.
    setImmediate(() => this.#batch.flush());
    return answer;
  }

  #add(stored: StoredStatement, params: Params, one: boolean): Promise<unknown> {
    this.#refuseIfOver();
    return this.#orFail(this.#batch.add(stored, valuesOf(stored.parameters, params), { one }));
  }

  #query(text: string, params: Params) {
    this.#refuseIfOver();
    this.#batch.flush();
    const statement = this.#statements.of(text);
    const values = valuesOf(statement.names, params);
    return this.#orFail(this.#client.query<unknown[]>({ text: statement.text, values, rowMode: 'array' }));
  }

  async #orFail<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  #refuseIfOver(): void {
    if (this.#isOver) throw new Error('The transaction is over');
  }
}

function expectOne(changes: number, text: string): void {
  if (changes !== 1) throw new Error(`Expected one row to change, got ${changes}: ${text.trim().slice(0, 80)}`);
}

/** Rows as a function gives them: each an object, its columns as they are called in SQL. */
function storedRows<Row>(answer: unknown): Row[] {
  if (!Array.isArray(answer)) throw new Error('Expected rows');
  return answer.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), exact(value)])) as Row);
}

/** Money and times fit into a number; what does not is an error, not another amount. */
function exact(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error(`${value} is beyond what can be counted exactly`);
  }
  return value;
}

function valuesOf(names: readonly string[], params: Params): unknown[] {
  return names.map((name) => bound(name, params[name]));
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
