import { canonicalJson } from '../domain/canonical-json.ts';
import { printableJson } from '../domain/hostile-text.ts';
import type { Summary } from './summary.ts';

/** The summary as one JSON document with `"v": 1` first, keys sorted, so that the same summary gives the same bytes. */
export function summaryJson(summary: Summary): string {
  const sorted: Record<string, unknown> = JSON.parse(canonicalJson(summary));
  return `${printableJson(JSON.stringify({ v: 1, ...sorted }, null, 2))}\n`;
}
