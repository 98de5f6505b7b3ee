import type { Finding } from '../../../domain/score.ts';
import { cutText, el, visible } from '../dom.ts';
import { fieldsOf } from '../logic/fields.ts';

const FIELD_LENGTH = 600;
const SEVERITY_LENGTH = 40;

/** How bad the model says it is, in its own word. */
export function severityChip(severity: string): HTMLElement {
  return el('span', { class: 'severity' }, el('span', { class: 'spoken' }, 'severity '), cutText(severity, SEVERITY_LENGTH));
}

/** What the model says of a quote, each with the field's name; `null` when it says nothing but how bad it is. */
export function fieldList(finding: Finding): HTMLElement | null {
  const { others } = fieldsOf(finding);
  if (others.length === 0) return null;
  const pairs = others.map(({ name, text }) => el('div', {}, el('dt', {}, visible(name)), el('dd', {}, cutText(text, FIELD_LENGTH))));
  return el('dl', { class: 'fields' }, ...pairs);
}
