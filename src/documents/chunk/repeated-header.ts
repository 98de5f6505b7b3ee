import { type CanonicalText, lastStarted } from '../../domain/document.ts';
import type { Part } from '../../domain/part.ts';

/** A longer "header row" is a layout table or an attack: repeating it would cost more than it explains. */
const LONGEST_HEADER = 2000;

/** The header row of the table that `part` begins in the midst of; `null` when it does not, or the table has none worth repeating. */
export function repeatedHeader({ text, blocks }: Pick<CanonicalText, 'text' | 'blocks'>, part: Part): string | null {
  const table = blocks[lastStarted(blocks, part.start)];
  const headerEnd = table?.headerEnd ?? null;
  if (table?.kind !== 'table' || headerEnd === null || part.start < headerEnd || part.start >= table.end) return null;
  const header = text.slice(table.start, headerEnd).trimEnd();
  return header.trim() === '' || header.length > LONGEST_HEADER ? null : header;
}
