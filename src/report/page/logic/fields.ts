import type { Finding } from '../../../domain/score.ts';

export type Field = { readonly name: string; readonly text: string };

/** What the answer says beside a quote: its severity apart, the others in the order of the answer. */
export function fieldsOf({ beside = {} }: Pick<Finding, 'beside'>): {
  readonly severity: string | null;
  readonly others: readonly Field[];
} {
  const fields = Object.entries(beside).map(([name, value]) => ({ name, text: wordOf(value) }));
  const isSeverity = ({ name }: Field): boolean => name.toLowerCase() === 'severity';
  return { severity: fields.find(isSeverity)?.text ?? null, others: fields.filter((field) => !isSeverity(field)) };
}

function wordOf(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
