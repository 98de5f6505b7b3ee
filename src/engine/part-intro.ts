import { type PartContext, partContext } from '../documents/chunk/part-context.ts';
import { repeatedHeader } from '../documents/chunk/repeated-header.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ChunkRule } from '../domain/manifest/resolved.ts';
import type { Part } from '../domain/part.ts';
import { fenced } from './fence.ts';

/** Of a heading; a longer one is cut: it only says where a part stands. */
const LONGEST_TITLE = 120;
/** Of what is printed on a page. */
const LONGEST_LABEL = 20;

/**
 * What stands above a part, outside the fence: which part it is and of what, and the header row of a table that goes on in it. Empty
 * where there is nothing to say. Words of the document stand here as JSON strings or in a fence of their own, so that they cannot pass
 * for ours; nobody should quote them from here.
 */
export function partIntro(context: ChunkRule['context'], content: CanonicalText, part: Part): string {
  const header = repeatedHeader(content, part);
  const lines = [
    ...(context ? [placeLine(partContext(content, part), part)] : []),
    ...(header === null
      ? []
      : ['The table that goes on at its beginning has this header row:', fenced('header', header, sha256Hex(header), [])]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function placeLine({ title, headings, pages }: PartContext, { index, of }: Part): string {
  const titles = [...(title === null ? [] : [title]), ...headings.slice(headings[0] === title ? 1 : 0)];
  const names = titles.map((each) => quoted(each, LONGEST_TITLE)).join(' > ');
  const facts = [...(names === '' ? [] : [names]), ...(pages === null ? [] : [pageWords(pages)])];
  const place = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
  return `Part ${index + 1} of ${of} of a document that is read in parts${place}.`;
}

function quoted(words: string, longest: number): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > longest ? `${line.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…` : line);
}

/** `page 3`, `pages 3–7`, and what is printed on them where that is something else. */
export function pageWords({ first, last }: NonNullable<PartContext['pages']>): string {
  const numbers = first.number === last.number ? `page ${first.number}` : `pages ${first.number}–${last.number}`;
  const [from, to] = [first, last].map(({ number, label }) => (label === null ? String(number) : labelWord(label)));
  const isSame = from === String(first.number) && to === String(last.number);
  return isSame ? numbers : `${numbers} (printed ${from === to ? from : `${from}–${to}`})`;
}

/** As it is where it can be nothing but a number or a letter or two. */
function labelWord(label: string): string {
  return /^[\w.-]{1,8}$/.test(label) ? label : quoted(label, LONGEST_LABEL);
}
