import { createHash } from 'node:crypto';
import { type CopiedRow, storableJson, storableText } from './copied-row.ts';
import type { ColumnKind, CopiedTable } from './copied-tables.ts';

/** Of one table: how many rows, and a sum over them that depends neither on their order nor on the kind of store. */
export type TableSum = { readonly rows: number; readonly checksum: string };

const BITS = 128;
const MODULUS = 1n << BigInt(BITS);

/** Adds rows up. Two tables of the same rows have the same sum; one that differs in a value has another. */
export class Checksum {
  readonly #kinds: readonly ColumnKind[];
  #rows = 0;
  #sum = 0n;

  constructor(table: CopiedTable) {
    this.#kinds = Object.values(table.columns);
  }

  add(row: CopiedRow): void {
    this.#rows += 1;
    this.#sum = (this.#sum + digest(this.#kinds, row)) % MODULUS;
  }

  value(): TableSum {
    return { rows: this.#rows, checksum: this.#sum.toString(16).padStart(BITS / 4, '0') };
  }
}

/** Each value with its length, so that no two rows are spelt alike. */
function digest(kinds: readonly ColumnKind[], row: CopiedRow): bigint {
  const hash = createHash('sha256');
  let text = '';
  for (const [at, value] of row.entries()) {
    const kind = kinds[at];
    if (kind === 'order' || kind === 'origin') continue;
    if (value instanceof Uint8Array) {
      hash.update(`${text}b${value.byteLength}:`);
      hash.update(value);
      text = '';
    } else text += value === null ? '-' : spelt(kind, value);
  }
  return BigInt(
    `0x${hash
      .update(text)
      .digest('hex')
      .slice(0, BITS / 4)}`,
  );
}

function spelt(kind: ColumnKind | undefined, value: string | bigint | number | boolean): string {
  const plain = typeof value !== 'string' ? String(value) : kind === 'value' ? storableJson(value) : storableText(value);
  return `${plain.length}:${plain}`;
}
