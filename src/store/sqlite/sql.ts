import type { Database, Statement } from 'better-sqlite3';

/** Values by name (`:name` in the text). Booleans are bound as 0 and 1. */
export type Params = { readonly [name: string]: string | number | null };

/**
 * One connection's statements, prepared once. `Row` is what the statement selects: the schema's STRICT types and CHECKs stand
 * behind it, so rows are not parsed again.
 */
export class Sql {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement<[Params], unknown>>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The first row, or `undefined`. */
  one<Row>(text: string, params: Params = {}): Row | undefined {
    return this.#prepared(text).get(params) as Row | undefined;
  }

  all<Row>(text: string, params: Params = {}): Row[] {
    return this.#prepared(text).all(params) as Row[];
  }

  /** How many rows the statement changed. */
  run(text: string, params: Params = {}): number {
    return this.#prepared(text).run(params).changes;
  }

  /** Runs a change that must hit exactly one row; anything else is a bug and undoes the operation. */
  runOne(text: string, params: Params): void {
    const changes = this.run(text, params);
    if (changes !== 1) throw new Error(`Expected one row to change, got ${changes}: ${text.trim().slice(0, 80)}`);
  }

  #prepared(text: string): Statement<[Params], unknown> {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare<[Params], unknown>(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** The value of a JSON column, as the store wrote it. */
export function fromJson<Value>(text: string): Value {
  return JSON.parse(text);
}

/** As `fromJson`, `null` for NULL. */
export function fromNullableJson<Value>(text: string | null): Value | null {
  return text === null ? null : fromJson<Value>(text);
}
