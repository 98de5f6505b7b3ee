import type { ClientBase } from 'pg';
import type { StoredStatement } from './stored-statement.ts';

type Asked = {
  readonly stored: StoredStatement;
  readonly values: readonly unknown[];
  readonly one: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Statements that the schema holds as functions, many of them sent as one: in `SELECT one(…), other(…)` the server runs them in their
 * order, each of which sees what those before it changed.
 */
export class Batch {
  readonly #client: ClientBase;
  #asked: Asked[] = [];

  constructor(client: ClientBase) {
    this.#client = client;
  }

  /** The answer, which comes some time after the next `flush`. `one`: of a change that must hit exactly one row. */
  add(stored: StoredStatement, values: readonly unknown[], { one }: { readonly one: boolean }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ stored, values, one, resolve, reject });
    });
  }

  /** Sends what was added. */
  flush(): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    this.#asked = [];
    const query = { text: textOf(asked), values: asked.flatMap(({ values }) => values), rowMode: 'array' as const };
    this.#client.query<unknown[]>(query).then(
      ({ rows }) => {
        for (const [at, { resolve }] of asked.entries()) resolve(rows[0]?.[at]);
      },
      (error: unknown) => {
        for (const { reject } of asked) reject(error);
      },
    );
  }

  /** What was added and not sent never will be. */
  drop(): void {
    this.#asked = [];
  }
}

function textOf(asked: readonly Asked[]): string {
  let values = 0;
  const calls = asked.map(({ stored, one }) => {
    const places = stored.parameters.map(() => {
      values += 1;
      return `$${values}`;
    });
    if (stored.gives === 'changes') places.push(String(one));
    return `${stored.functionName}(${places.join(', ')})`;
  });
  return `SELECT ${calls.join(', ')}`;
}
