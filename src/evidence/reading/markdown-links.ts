import { outsideListings } from './listings.ts';
import type { Edit } from './reading.ts';

/** Code in backticks is read as it stands. */
const CODE = '(?<!`)(?<ticks>`{1,2})(?!`)[^\\n]{1,300}?(?<!`)\\k<ticks>(?!`)';
/** Not `a[i](x)`: what hangs on a word is code. */
const FREE = '(?<![\\p{L}\\p{N}_)\\]\\\\])';
const LABEL = '(?:[^\\[\\]\\n]|\\n(?!\\s*\\n)){1,300}';
/** `[words](target "title")`; a target has a sign of one in it. */
const TARGET =
  '\\((?=[^()\\s]{0,500}[/.#:])<?(?:[^()\\s<>]|\\([^()\\s]{0,100}\\)){1,500}>?(?:\\s+(?:"[^"\\n]{0,200}"|\'[^\'\\n]{0,200}\'))?\\)';
const LINK = `${FREE}(?<link>!?\\[(?<label>${LABEL})\\](?<target>${TARGET}))`;
/** `[words][name]`, `[name]`, `[^1]`: only where the document says what the name stands for. */
const REFERENCE = `${FREE}\\[(?<words>${LABEL})\\](?:\\[(?<name>[^\\[\\]\\n]{0,100})\\])?(?![(:])`;
const ADDRESS = '<(?<address>https?:\\/\\/[^\\s<>]{1,500})>';
/** Tags that only shape the words; not those that strike them out. */
const TAG =
  '<(?<tag>\\/?(?:b|i|em|strong|code|kbd|u|tt|small|big|mark|var|samp|span|a|p|div|br|sup|sub|nobr|wbr)(?:\\s[^<>\\n]{0,300})?\\/?)>';
/** `H~2~O`. */
const INDEX = '(?<=\\p{L})~(?<index>\\p{N}{1,3})~(?!~)';
const MARKED = new RegExp([CODE, LINK, REFERENCE, ADDRESS, TAG, INDEX].join('|'), 'giu');
const DEFINITION = /^[^\S\n]{0,3}\[([^\]\n]{1,100})\]:[^\S\n]*\S/gm;

/** The names that a text's link and footnote definitions give, as references are compared: in small letters. */
export function definedNames(text: string): ReadonlySet<string> {
  if (!text.includes(']:')) return new Set();
  return new Set([...text.matchAll(DEFINITION)].map((match) => nameOf(match[1] ?? '')));
}

/** Links, references to footnotes and tags of HTML in Markdown: a reader sees the words. */
export function linkEdits(text: string, defined: ReadonlySet<string>): Edit[] {
  if (!/[[<~]/.test(text)) return [];
  return outsideListings(
    text,
    'markdown',
    [...text.matchAll(MARKED)].flatMap((match) => editsOf(match, defined)),
  );
}

function editsOf(match: RegExpExecArray, defined: ReadonlySet<string>): Edit[] {
  const { label, target, words, name, address, tag, index } = match.groups ?? {};
  if (label !== undefined) return wrapped(match, label, target ?? '');
  if (words !== undefined) return referenceEdits(match, words, name, defined);
  if (address !== undefined) return wrapped(match, address, undefined);
  if (index !== undefined) return wrapped(match, index, undefined);
  return tag === undefined
    ? []
    : [{ start: match.index, end: match.index + match[0].length, text: readingOfTag(tag), hidden: attributesOf(tag) }];
}

function referenceEdits(match: RegExpExecArray, words: string, name: string | undefined, defined: ReadonlySet<string>): Edit[] {
  const target = name === undefined || name === '' ? words : name;
  if (!defined.has(nameOf(target))) return [];
  if (words.startsWith('^')) return [{ start: match.index, end: match.index + match[0].length, text: '', hidden: match[0] }];
  return wrapped(match, words, name === undefined ? undefined : target);
}

/** All but the words goes; what is behind them names their target. */
function wrapped(match: RegExpExecArray, words: string, hidden: string | undefined): Edit[] {
  const at = match.index + match[0].indexOf(words);
  return [
    { start: match.index, end: at, text: '' },
    { start: at + words.length, end: match.index + match[0].length, text: '', hidden },
  ];
}

/** As the reader of HTML writes it. */
function readingOfTag(tag: string): string {
  const [name = ''] = tag.toLowerCase().split(/[\s/]/);
  if (name === 'sup') return '^';
  if (name === 'sub') return '_';
  return /^(?:\/?p|\/?div|br)$/.test(tag.toLowerCase().replace(/\s.*|\/$/g, '')) ? ' ' : '';
}

function attributesOf(tag: string): string | undefined {
  return /\s(.*[^\s/])/.exec(tag)?.[1];
}

function nameOf(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}
