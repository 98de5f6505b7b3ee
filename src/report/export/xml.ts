const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of an element: without what XML 1.0 forbids, lone surrogates as U+FFFD. `>` is escaped, so that no `]]>` stands in it. */
export function xmlText(text: string): string {
  return text
    .replace(LONE_SURROGATES, '\ufffd')
    .replace(ILLEGAL, '')
    .replace(/[&<>"]/g, (character) => NAMES[character] ?? '');
}

/** The same for an attribute in double quotes, where a parser would make blanks of tabs and line ends. */
function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Attributes with a blank in front of each; those without a value are left out. */
export function xmlAttributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [` ${name}="${xmlAttribute(String(value))}"`]))
    .join('');
}
