import type { Block } from '../../domain/document.ts';
import { assemble } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { NORMALISER } from '../normalise.ts';
import { notFollowed } from '../not-followed.ts';
import type { Heading } from '../sections.ts';
import { splitLines } from '../split-lines.ts';
import { maskLatex, type Verbatim } from './latex-mask.ts';

const RANKS: readonly string[] = ['part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'];
const SECTION_RANK = 2;
const SECTION = new RegExp(`\\\\(${RANKS.join('|')})(?![a-zA-Z])\\*?[ \\t]*(?:\\[[^\\]\\n]{0,500}\\])?[ \\t]*\\{`, 'g');
const TITLE = /\\title(?![a-zA-Z])[ \t]*(?:\[[^\]\n]{0,500}\])?[ \t]*\{/;
const INPUT = /\\(?:input|include|subfile)(?![a-zA-Z])[ \t]*(?:\{([^}\n]{1,500})\}|([\w./-]{1,500}))/g;
const TABLE_EDGE = /\\(begin|end)\{(?:tabular[*xy]?|longtable\*?|tabulary|supertabular)\}/g;
/** What parts the header of a table from its rows. */
const HEADER_RULE = /\\(?:midrule|endhead|endfirsthead)(?![a-zA-Z])/;
const LABEL = /^\s*\\label\s*\{([^}\n]{1,200})\}/;
const [BACKSLASH, OPEN, CLOSE] = [0x5c, 0x7b, 0x7d];
/** Longer, and a brace was never closed. */
const LONGEST_TITLE = 500;

/**
 * Content of LaTeX: the source itself, because quotes must match what stands in the file. Sections are the sectioning commands
 * outside comments and verbatim text, with their labels; files that it reads in are not followed, and the warnings say so.
 */
export function readLatex(text: string): FormatContent {
  const assembled = assemble(splitLines(text));
  const { masked, listings } = maskLatex(assembled.text);
  const title = TITLE.exec(masked);
  return {
    format: 'latex',
    extractor: `latex@1+${NORMALISER}`,
    title: title === null ? null : plainTitle(argumentAt(masked, title.index + title[0].length) ?? ''),
    assembled,
    headings: headingsOf(masked, bodyOf(masked)),
    blocks: withoutNested([...listings.map(listing), ...tablesOf(masked)]),
    warnings: notFollowed(
      '\\input',
      [...masked.matchAll(INPUT)].map((match) => (match[1] ?? match[2] ?? '').trim()),
    ),
  };
}

/** Where the document stands: its preamble may define commands that speak of sections. */
function bodyOf(masked: string): Verbatim {
  const begin = masked.indexOf('\\begin{document}');
  const end = masked.indexOf('\\end{document}', Math.max(begin, 0));
  return { start: Math.max(begin, 0), end: end < 0 ? masked.length : end };
}

function headingsOf(masked: string, body: Verbatim): readonly Heading[] {
  const found = [...masked.matchAll(SECTION)].filter(({ index }) => index >= body.start && index < body.end);
  const ranks = found.map((match) => RANKS.indexOf(match[1] ?? ''));
  const highest = ranks.reduce((least, rank) => Math.min(least, rank), SECTION_RANK);
  const headings = found.flatMap((match, index): Heading[] => {
    const argument = argumentAt(masked, match.index + match[0].length);
    if (argument === null) return [];
    const behind = masked.slice(match.index + match[0].length + argument.length + 1).slice(0, LONGEST_TITLE);
    const label = /\\label\s*\{([^}\n]{1,200})\}/.exec(argument)?.[1] ?? LABEL.exec(behind)?.[1];
    const level = (ranks[index] ?? 0) - highest + 1;
    return [{ title: plainTitle(argument), level, start: match.index, ...(label === undefined ? {} : { anchor: label }) }];
  });
  const abstract = masked.indexOf('\\begin{abstract}', body.start);
  return abstract < 0 ? headings : [{ title: 'Abstract', level: 1, start: abstract }, ...headings];
}

/** The text up to the brace that closes the argument which begins at `start`; `null` when none does. */
function argumentAt(masked: string, start: number): string | null {
  let depth = 1;
  const limit = Math.min(masked.length, start + LONGEST_TITLE);
  for (let at = start; at < limit; at += 1) {
    const sign = masked.charCodeAt(at);
    if (sign === BACKSLASH) at += 1;
    else if (sign === OPEN) depth += 1;
    else if (sign === CLOSE) depth -= 1;
    if (depth === 0) return masked.slice(start, at);
  }
  return null;
}

function plainTitle(source: string): string {
  return source
    .replace(/\\label\s*\{[^}]*\}/g, '')
    .replace(/\\\\/g, ' ')
    .replace(/\\([%&_#$])/g, '$1')
    .replace(/\\[a-zA-Z]+\*?[ \t]?|\\[^a-zA-Z]/g, '')
    .replace(/[{}]/g, '')
    .replaceAll('~', ' ')
    .trim();
}

function listing(span: Verbatim): Block {
  return { kind: 'listing', ...span, headerEnd: null };
}

function tablesOf(masked: string): readonly Block[] {
  const tables: Block[] = [];
  let depth = 0;
  let start = 0;
  for (const match of masked.matchAll(TABLE_EDGE)) {
    if (match[1] === 'begin' && depth === 0) start = match.index;
    depth = Math.max(0, depth + (match[1] === 'begin' ? 1 : -1));
    const end = match.index + match[0].length;
    if (match[1] === 'end' && depth === 0 && end > start) {
      tables.push({ kind: 'table', start, end, headerEnd: headerEndOf(masked.slice(start, end), start) });
      start = end;
    }
  }
  return tables;
}

/** Behind the rule below the first rows: `\midrule`, else the second `\hline` unless it stands below the last row. */
function headerEndOf(table: string, start: number): number | null {
  const rule = HEADER_RULE.exec(table);
  if (rule !== null) return start + rule.index + rule[0].length;
  const lines = [...table.matchAll(/\\hline(?![a-zA-Z])/g)];
  const rowEnd = table.indexOf('\\\\', lines[0]?.index ?? 0);
  const second = rowEnd < 0 ? undefined : lines.find((line) => line.index > rowEnd);
  if (second === undefined || second === lines.at(-1)) return null;
  return start + second.index + second[0].length;
}

function withoutNested(blocks: readonly Block[]): readonly Block[] {
  let end = 0;
  return blocks
    .toSorted((a, b) => a.start - b.start)
    .filter((block) => {
      if (block.start < end) return false;
      end = block.end;
      return true;
    });
}
