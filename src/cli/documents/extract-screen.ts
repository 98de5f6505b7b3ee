import { partContext } from '../../documents/chunk/part-context.ts';
import { type CanonicalText, type Page, positionOf, type Section } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { CountedPart } from '../../engine/planned-prompt.ts';
import { lostPagesPhrase } from '../../report/coverage-phrases.ts';
import { counted, grouped } from '../../report/phrases.ts';
import { groupedWarnings } from '../../report/warning-groups.ts';
import { folded } from '../terminal/fold.ts';
import { amount } from '../terminal/format.ts';
import type { Colour, Paint } from '../terminal/style.ts';
import { tableLines } from '../terminal/table.ts';
import { cut } from '../terminal/width.ts';
import type { ReadFile } from './read-file.ts';

export type FactsLook = {
  readonly columns: number;
  readonly paint: Paint;
  /** Leaves out what is in order. */
  readonly onlyWarnings: boolean;
};

const LABEL_COLUMNS = 12;
const FEWEST_COLUMNS = 20;
const SECTIONS_NAMED = 6;
const LONGEST_TEXT = 300;
const LONGEST_TITLE = 60;

/** What is known of a document, one fact a line; what it lacks and what is odd about it last. */
export function factLines({ name, content, bytesSha256, tokens }: ReadFile, { columns, paint, onlyWarnings }: FactsLook): string[] {
  const { format, extractor, title, textSha256, pages, lostPages, warnings, text } = content;
  const fact = (label: string, value: string, colour: Colour = 'dim'): string[] => {
    const lines = folded(value, Math.max(FEWEST_COLUMNS, columns - LABEL_COLUMNS - 2));
    return lines.map((line, index) => `  ${index === 0 ? paint(colour, label.padEnd(LABEL_COLUMNS)) : ' '.repeat(LABEL_COLUMNS)}${line}`);
  };
  const facts = [
    ...fact('format', `${format}, read by ${extractor}`),
    ...(title === null ? [] : fact('title', oneLine(title, LONGEST_TEXT))),
    ...(pages.length === 0 ? [] : fact('pages', pagesText(pages))),
    ...fact('sections', sectionsText(content)),
    ...fact('text', `${counted(text.length, 'character')}, about ${amount(tokens.tokens)} tokens · sha256 ${textSha256.slice(0, 12)}…`),
    ...(bytesSha256 === null ? [] : fact('bytes', `sha256 ${bytesSha256.slice(0, 12)}…`)),
  ];
  return [
    ...(onlyWarnings ? [] : [paint('bold', oneLine(name)), ...facts]),
    ...(lostPages.length === 0
      ? []
      : fact(
          'without',
          lostPagesPhrase(lostPages, (why) => oneLine(why)),
          'yellow',
        )),
    ...groupedWarnings(warnings).flatMap((warning) => fact('warning', oneLine(warning, LONGEST_TEXT), 'yellow')),
  ];
}

function pagesText(pages: readonly Page[]): string {
  const labels = pages.flatMap(({ number, label }) => (label === null || label === String(number) ? [] : [label]));
  const [first, last] = [labels[0], labels.at(-1)];
  if (first === undefined || last === undefined) return grouped(pages.length);
  return `${grouped(pages.length)}, with labels of their own, such as ${[...new Set([first, last])].map((label) => oneLine(label, 20)).join(' and ')}`;
}

function sectionsText({ sections }: CanonicalText): string {
  if (sections.length === 0) return 'none found';
  const { above, named } = outline(sections);
  const titles = named.slice(0, SECTIONS_NAMED).map(({ title }) => oneLine(title, LONGEST_TITLE));
  const path = above.map(({ title }) => `${oneLine(title, LONGEST_TITLE)}${titles.length === 0 ? '' : ' > '}`).join('');
  return `${grouped(sections.length)}: ${path}${titles.join(', ')}${named.length > titles.length ? ', …' : ''}`;
}

type Outline = { readonly above: readonly Section[]; readonly named: readonly Section[] };

/** The outermost sections; where one holds all, which is the document's title mostly, that one and those right below it. */
function outline(sections: readonly Section[]): Outline {
  const named = outermost(sections);
  const [only] = named;
  if (named.length !== 1 || only === undefined) return { above: [], named };
  return { above: named, named: outermost(sections.filter((section) => section !== only)) };
}

function outermost(sections: readonly Section[]): Section[] {
  const level = sections.reduce((least, section) => Math.min(least, section.level), Number.POSITIVE_INFINITY);
  return sections.filter((section) => section.level === level);
}

/** The section tree, one section a line, with page, line and offsets. */
export function sectionLines(content: CanonicalText, columns: number): string[] {
  const { sections, pages } = content;
  const rows = sections.map(({ title, level, start, end }) => {
    const { page, line } = positionOf(content, start, end);
    const name = `${'· '.repeat(Math.max(0, level - 1))}${oneLine(title, LONGEST_TEXT)}`;
    return [...(pages.length === 0 ? [] : [String(page ?? '')]), String(line), `${start}–${end}`, name];
  });
  const head = [...(pages.length === 0 ? [] : ['PAGE']), 'LINE', 'CHARACTERS', 'SECTION'].map((title) => ({ title }));
  return rows.length === 0 ? ['No sections found.'] : tableLines(head, rows, columns);
}

/** The parts in which a document would be asked, one a line. */
export function chunkLines(content: CanonicalText, parts: readonly CountedPart[], columns: number): string[] {
  const hasPages = content.pages.length > 0;
  const head = ['PART', 'TOKENS', ...(hasPages ? ['PAGES'] : []), 'CHARACTERS', 'NEW FROM', 'HEADINGS'].map((title) => ({ title }));
  const rows = parts.map(({ part, tokens }) => {
    const { headings, begins, pages } = partContext(content, part);
    const names = [
      headings.map((title) => cut(oneLine(title), LONGEST_TITLE)).join(' > '),
      ...begins.slice(0, 3).map((title) => oneLine(title)),
    ];
    const from = pages === null ? '' : pages.first.number === pages.last.number ? '' : `–${pages.last.number}`;
    return [
      `${part.index + 1}/${part.of}`,
      amount(tokens.tokens),
      ...(hasPages ? [pages === null ? '' : `${pages.first.number}${from}`] : []),
      `${part.start}–${part.end}`,
      part.ownStart === part.start ? '' : String(part.ownStart),
      names.filter((name) => name !== '').join(' · '),
    ];
  });
  return tableLines(head, rows, columns);
}
