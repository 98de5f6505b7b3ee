/** A piece of a template: text as it stands, or a placeholder with its offset in the template. */
export type TemplatePart = string | { readonly name: string; readonly offset: number };

/**
 * `{{…}}` on one line whose content begins like a name, or like the code of other template languages, which must be an error
 * rather than stay in the prompt. All else, such as `{{"a": 1}}` or LaTeX, is text.
 */
const PLACEHOLDER = /\{\{[ \t]*((?:[#/^>&!=~-][ \t]*)?[\p{L}_$][^{}\r\n]*?|)[ \t]*\}\}/gu;

export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push(template.slice(end, match.index));
    parts.push({ name: match[1] ?? '', offset: match.index });
    end = match.index + match[0].length;
  }
  if (end < template.length) parts.push(template.slice(end));
  return parts;
}

/** Replaces each placeholder once; what `lookUp` gives is never looked at again, so document text is inert. */
export function renderTemplate(template: string, lookUp: (name: string) => string): string {
  return parseTemplate(template)
    .map((part) => (typeof part === 'string' ? part : lookUp(part.name)))
    .join('');
}

/** Whether the template asks for this value. */
export function mentions(template: string, name: string): boolean {
  return parseTemplate(template).some((part) => typeof part !== 'string' && part.name === name);
}
