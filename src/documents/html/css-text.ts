/** One `name: value` of CSS, in lower case, without the `!important` that it may carry. */
export type Declaration = { readonly property: string; readonly value: string; readonly isImportant: boolean };

/** Selectors and declarations of a style sheet. `isCertain` is false inside an at-rule whose condition only a browser can test. */
export type CssRule = { readonly selectors: readonly string[]; readonly body: string; readonly isCertain: boolean };

/** Declarations of a `style` attribute or of a rule's body, in order. */
export function declarationsOf(css: string): readonly Declaration[] {
  return splitOutside(withoutComments(css), ';').flatMap((piece) => {
    const colon = piece.indexOf(':');
    if (colon === -1 || piece.includes('{') || piece.includes('}')) return [];
    const property = unescaped(piece.slice(0, colon)).trim().toLowerCase();
    const whole = unescaped(piece.slice(colon + 1)).toLowerCase();
    const mark = whole.lastIndexOf('!');
    const isImportant = mark !== -1 && whole.slice(mark + 1).trim() === 'important';
    return [{ property, value: (isImportant ? whole.slice(0, mark) : whole).trim(), isImportant }];
  });
}

/** Blocks of other rules that hold; what others hold (`@font-face`, `@keyframes`, `@media print`) is no rule for what is shown. */
const HOLDING = /^@(?:media|supports|layer|container|scope|starting-style)\b/i;
const ALWAYS = /^@media\s+(?:only\s+)?(?:all|screen)$/i;
const NEVER = /^@media\s+print$/i;

/** Rules of a style sheet, in order. */
export function rulesOf(sheet: string): readonly CssRule[] {
  const css = withoutComments(sheet);
  const rules: CssRule[] = [];
  const open: boolean[] = [];
  let at = 0;
  while (at < css.length) {
    const end = findOutside(css, '{};', at);
    if (end === -1) break;
    const prelude = css.slice(at, end).trim();
    at = end + 1;
    if (css[end] === '}') open.pop();
    if (css[end] !== '{') continue;
    if (HOLDING.test(prelude) && !NEVER.test(prelude)) {
      open.push((open.at(-1) ?? true) && ALWAYS.test(prelude));
      continue;
    }
    const bodyEnd = blockEnd(css, at);
    if (!prelude.startsWith('@')) {
      rules.push({ selectors: splitOutside(prelude, ','), body: css.slice(at, bodyEnd), isCertain: open.at(-1) ?? true });
    }
    at = bodyEnd + 1;
  }
  return rules;
}

/** Parts between the separators that stand outside of quotes and brackets. */
function splitOutside(css: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (let end = findOutside(css, separator, 0); end !== -1; end = findOutside(css, separator, at)) {
    parts.push(css.slice(at, end));
    at = end + 1;
  }
  parts.push(css.slice(at));
  return parts;
}

/** Where one of the characters next stands outside of quotes and brackets; -1 where none does. */
function findOutside(css: string, wanted: string, from: number): number {
  let quote = '';
  let depth = 0;
  for (let index = from; index < css.length; index += 1) {
    const character = css[index] ?? '';
    if (character === '\\') index += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (depth === 0 && wanted.includes(character)) return index;
    else if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth = Math.max(0, depth - 1);
  }
  return -1;
}

/** Where the block that began before `from` closes. */
function blockEnd(css: string, from: number): number {
  let depth = 1;
  for (let at = findOutside(css, '{}', from); at !== -1; at = findOutside(css, '{}', at + 1)) {
    depth += css[at] === '{' ? 1 : -1;
    if (depth === 0) return at;
  }
  return css.length;
}

function withoutComments(css: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let begin = css.indexOf('/*'); begin !== -1; begin = css.indexOf('/*', at)) {
    parts.push(css.slice(at, begin), ' ');
    const end = css.indexOf('*/', begin + 2);
    at = end === -1 ? css.length : end + 2;
  }
  return parts.length === 0 ? css : parts.join('') + css.slice(at);
}

function unescaped(css: string): string {
  if (!css.includes('\\')) return css;
  return css.replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_, hex: string | undefined, character: string | undefined) => {
    const code = Number.parseInt(hex ?? '', 16);
    return hex === undefined ? (character ?? '') : code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });
}
