import { type BoundedList, boundedList } from './bounded-list.ts';
import { pagesPhrase } from './coverage-phrases.ts';
import { grouped } from './phrases.ts';
import type { WarningGroup } from './summary.ts';

/** Page numbers alone, however they are decorated: `- 1 -`, `[12]`, `page 3 of 9`. */
const PAGE_NUMBER =
  /^running line removed from \d+ pages, such as "[^\p{L}\p{N}]*(?:p(?:age|\.)?\s*)?\d+(?:\s*(?:of|\/)\s*\d+)?[^\p{L}\p{N}]*"$/iu;

/** What a summary tells of a document: that its page numbers are no part of the text is nothing to know. */
export function isWorthALine(warning: string): boolean {
  return !PAGE_NUMBER.test(warning.slice(0, LONGEST_TESTED));
}

type Warned = { readonly document: string; readonly warnings: readonly string[] };

const NAMED = 3;
const LONGEST_TESTED = 200;
const PAGE = /^page (\d+)\b/;

/** The warnings of one document with those that differ in their numbers only as one: fifty pages with the same fault are one line. */
export function groupedWarnings(warnings: readonly string[]): readonly string[] {
  const alike = new Map<string, [string, ...string[]]>();
  for (const text of warnings) {
    const key = withoutNumbers(text);
    const group = alike.get(key);
    if (group === undefined) alike.set(key, [text]);
    else group.push(text);
  }
  return [...alike.values()].map(asOne);
}

function asOne(texts: readonly [string, ...string[]]): string {
  const [first] = texts;
  const different = new Set(texts);
  if (different.size === 1) return first;
  const pages = texts.flatMap((text) => PAGE.exec(text)?.[1] ?? []).map(Number);
  if (pages.length < texts.length) return `${first} (and ${grouped(different.size - 1)} more like it)`;
  const rests = new Set(texts.map((text) => text.replace(PAGE, '')));
  if (rests.size === 1 && first.replace(PAGE, '').startsWith(':')) return `${pagesPhrase(pages)}${first.replace(PAGE, '')}`;
  return `${first} (alike: ${pagesPhrase(pages.slice(1))})`;
}

/**
 * The warnings of many documents, those that differ in their numbers only once; what most documents share comes first, else their order is
 * kept. Where every document is named, each has its own number: `151 and 31 page headers removed`.
 */
export function warningGroups(documents: Iterable<Warned>, limit: number): BoundedList<WarningGroup> {
  const groups = new Map<string, Group>();
  for (const { document, warnings } of documents) {
    for (const text of groupedWarnings(warnings)) {
      const key = withoutNumbers(text);
      const group = groups.get(key) ?? { text, texts: [], documents: [], total: 0, differ: false };
      groups.set(key, group);
      group.total += 1;
      group.differ ||= text !== group.text;
      if (group.documents.length >= NAMED) continue;
      group.documents.push(document);
      group.texts.push(text);
    }
  }
  const list = boundedList<WarningGroup>(limit, (a, b) => b.total - a.total);
  for (const group of groups.values()) list.add({ text: groupText(group), documents: group.documents, total: group.total });
  return list.finish();
}

type Group = { readonly text: string; readonly texts: string[]; readonly documents: string[]; total: number; differ: boolean };

function groupText({ text, texts, total, differ }: Group): string {
  if (!differ) return text;
  return (texts.length === total ? withEachNumber(texts) : null) ?? `${text} (numbers differ)`;
}

/** Texts that differ in one number as one text with all of them; `null` where more differs, or the number is part of a name. */
function withEachNumber(texts: readonly string[]): string | null {
  const parts = texts.map((text) => text.split(/(\d+)/));
  const [first = []] = parts;
  const differing = first.flatMap((part, index) => (parts.some((each) => each[index] !== part) ? [index] : []));
  const [place] = differing;
  if (place === undefined || differing.length > 1) return null;
  const [before, after] = [first.slice(0, place).join(''), first.slice(place + 1).join('')];
  if (!/(?:^|\s)$/.test(before) || !/^\s/.test(after)) return null;
  const numbers = parts.map((each) => each[place] ?? '');
  return `${before}${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1) ?? ''}${after}`;
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '#');
}
