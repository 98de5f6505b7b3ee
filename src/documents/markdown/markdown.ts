import { fromMarkdown } from 'mdast-util-from-markdown';
import { assemble, type DraftLine } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { parsedBy } from '../document-failure.ts';
import { decodeEntities } from '../entities.ts';
import { NORMALISER } from '../normalise.ts';
import { splitLines } from '../split-lines.ts';
import { type MarkdownHeading, MarkdownScanner } from './markdown-scanner.ts';

type Node = {
  readonly type: string;
  readonly value?: string;
  readonly alt?: string | null | undefined;
  readonly children?: readonly Node[];
};

/** Of titles that are longer, or beyond so many, the marks stay: the inline parser takes 0.1 ms for each. */
const LONGEST_PARSED_TITLE = 500;
const MOST_PARSED_TITLES = 5000;

/**
 * Content of Markdown: the source itself, not rendered, because quotes must match what stands in the file. Sections are the
 * headings at the top level as CommonMark has them; the title is the first of level 1. `entities` are decoded outside code.
 */
export function readMarkdown(text: string, entities: ReadonlyMap<string, string> = new Map()): FormatContent {
  const lines = splitLines(text);
  const assembled = assemble(entities.size === 0 ? lines : decodedOutsideCode(lines, entities));
  const scanner = scan(assembled.text, assembled.lines.start);
  const headings = scanner.headings.map((heading, index) => ({
    title: titleOf(heading, index),
    level: heading.level,
    start: heading.start,
  }));
  return {
    format: 'markdown',
    extractor: `md@2+${NORMALISER}`,
    title: headings.find((heading) => heading.level === 1)?.title ?? null,
    assembled,
    headings,
    blocks: scanner.blocks,
    warnings: [],
  };
}

function scan(text: string, starts: readonly number[]): MarkdownScanner {
  const scanner = new MarkdownScanner();
  const lines = text.split('\n');
  for (let index = frontMatterEnd(lines); index < lines.length; index += 1) scanner.line(lines[index] ?? '', starts[index] ?? 0);
  scanner.finish();
  return scanner;
}

function decodedOutsideCode(lines: readonly DraftLine[], entities: ReadonlyMap<string, string>): readonly DraftLine[] {
  const { text, lines: kept } = assemble(lines);
  const inListing = new Set<number>();
  let at = 0;
  for (const { start, end } of scan(text, kept.start).blocks.filter((block) => block.kind === 'listing')) {
    while ((kept.start[at] ?? start) < start) at += 1;
    for (; (kept.start[at] ?? end) < end; at += 1) inListing.add(kept.number[at] ?? 0);
  }
  return lines.map((line) => (inListing.has(line.number) ? line : { ...line, text: decodedOutsideSpans(line.text, entities) }));
}

function decodedOutsideSpans(line: string, entities: ReadonlyMap<string, string>): string {
  const parts = line.split(/(`[^`]*`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : decodeEntities(part, entities))).join('');
}

/** Index of the line behind YAML front matter, which would read as a rule and an underlined heading. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0] !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && (line === '---' || line === '...'));
  return end + 1;
}

function titleOf({ source }: MarkdownHeading, index: number): string {
  const bare = source.replace(/^ {0,3}#{1,6}[ \t]*/, '').trim();
  if (source.length > LONGEST_PARSED_TITLE || index >= MOST_PARSED_TITLES) return bare;
  if (/^[A-Za-z0-9 ().,:;'/-]*$/.test(bare) && source.trimStart().startsWith('#')) return bare;
  return textOf(parsedBy('the Markdown parser', () => fromMarkdown(source)));
}

function textOf(node: Node): string {
  const parts: string[] = [];
  const open: Node[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    parts.push(next.value ?? next.alt ?? '');
    open.push(...[...(next.children ?? [])].reverse());
  }
  return parts.join('');
}
