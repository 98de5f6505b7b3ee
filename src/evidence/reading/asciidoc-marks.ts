import { outsideListings } from './listings.ts';
import type { Edit } from './reading.ts';

/** `ext:m[]`, `insn:fence.tso[]`: a macro without words of its own is read as its target. */
const EMPTY_MACRO = '(?<![\\p{L}\\p{N}_:])(?<macro>[a-z]{2,12}:)(?<target>[\\p{L}\\p{N}][\\p{L}\\p{N}_.+-]{0,60})\\[\\]';
/** `<<id,words>>`, `<<id>>`. */
const REFERENCE = '<<(?<id>[^<>,\\n]{1,100}),[^\\S\\n]*(?<words>[^<>\\n]{1,200})>>|<<(?<name>[\\p{L}_#][\\p{L}\\p{N}_.:#-]{0,100})>>';
/** `https://host/path[words]`, `link:path[words]`. */
const LINK = '(?<address>(?:https?:\\/\\/|link:|xref:)[^\\s[\\]<>]{1,300})\\[(?<label>[^\\]\\n]{1,200})\\]';
/** `+words+`: passed through; not `1 +2+ 3`. */
const PASS = '(?<![\\p{L}\\p{N}+])\\+(?<pass>[^+\\s](?:[^+\\n]{0,200}[^+\\s])?)\\+(?![\\p{L}\\p{N}+])';
/** `{pm}`: an attribute that stands for a character. */
const ATTRIBUTE = '\\{(?<attribute>[a-z]{2,8})\\}';
/** ` +` at a line's end, behind words: a line break. */
const BREAK = '(?<=[\\p{L}.,;:!?)])[^\\S\\n]{1,4}(?<break>\\+)[^\\S\\n]*(?=\\n)';
const MARKED = new RegExp([EMPTY_MACRO, REFERENCE, LINK, PASS, ATTRIBUTE, BREAK].join('|'), 'gu');
/** `[#id]#words#`, `[.role]##words##`: the words may go on over lines and hold marks of their own. */
const ROLE = /\[[#.]([^\]\n]{1,100})\](#{1,2})(?=[^#\s])/g;
const LONGEST_ROLE = 2_000;
/** A role whose words no longer count. */
const STRUCK = /line-through|strike/;
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['pm', '±'],
  ['times', '×'],
  ['deg', '°'],
  ['ge', '≥'],
  ['le', '≤'],
  ['ne', '≠'],
  ['plus', '+'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['vbar', '|'],
  ['nbsp', '\u00a0'],
  ['sp', ' '],
  ['empty', ''],
  ['zwsp', ''],
  ['wj', ''],
  ['apos', "'"],
  ['quot', '"'],
  ['lsquo', '\u2018'],
  ['rsquo', '\u2019'],
  ['ldquo', '\u201c'],
  ['rdquo', '\u201d'],
  ['startsb', '['],
  ['endsb', ']'],
  ['cpp', 'C++'],
]);

/** The marks of AsciiDoc that a reader does not see, but for those that Markdown has too: `*`, `_`, backticks. May overlap. */
export function asciidocEdits(text: string): Edit[] {
  const edits = [...[...text.matchAll(MARKED)].flatMap(editsOf), ...roleEdits(text)];
  return outsideListings(
    text,
    'asciidoc',
    edits.sort((a, b) => a.start - b.start),
  );
}

function editsOf(match: RegExpExecArray): Edit[] {
  const { macro, target, id, words, name, address, label, pass, attribute, break: lineBreak } = match.groups ?? {};
  if (attribute !== undefined || lineBreak !== undefined) {
    const text = lineBreak === undefined ? ATTRIBUTES.get(attribute ?? '') : ' ';
    return text === undefined ? [] : [{ start: match.index, end: match.index + match[0].length, text }];
  }
  const read = target ?? words ?? name ?? label ?? pass;
  if (read === undefined || (pass !== undefined && !/\p{L}/u.test(pass))) return [];
  const end = match.index + match[0].length;
  const at = match[0].lastIndexOf(read) + match.index;
  return [
    { start: match.index, end: at, text: '', hidden: macro ?? id ?? address },
    { start: at + read.length, end, text: '' },
  ];
}

function roleEdits(text: string): Edit[] {
  return [...text.matchAll(ROLE)].flatMap((match): Edit[] => {
    const [mark, role = '', sign = '#'] = match;
    const start = match.index + mark.length;
    const close = text.indexOf(sign, start);
    if (close === -1 || close - start > LONGEST_ROLE || STRUCK.test(role) || /\n\s*\n/.test(text.slice(start, close))) return [];
    return [
      { start: match.index, end: start, text: '', hidden: role },
      { start: close, end: close + sign.length, text: '' },
    ];
  });
}
