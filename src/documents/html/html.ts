import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { assemble } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { parsedBy } from '../document-failure.ts';
import { NORMALISER } from '../normalise.ts';
import type { Heading } from '../sections.ts';
import { type Element, isElement } from './elements.ts';
import type { FlowLine } from './flow.ts';
import { pageText } from './page-text.ts';
import { surveyPage } from './survey.ts';

/** Content of an HTML page: what a reader sees, sections by its headings, title from `<title>`, else from the first `<h1>`. */
export function readHtml(html: string): FormatContent {
  const page = parsedBy('the HTML parser', () => parse(html));
  const root = childOf(page, 'html');
  const survey = root === null ? null : surveyPage(root);
  const { lines, deletedPassages } = survey === null ? { lines: [], deletedPassages: 0 } : pageText(survey);
  const assembled = assemble(lines.map((line) => ({ text: marked(line), number: 1, page: 0 })));
  const headings = headingsOf(lines, assembled.offsets);
  return {
    format: 'html',
    extractor: `html:parse5@8.1.1+${NORMALISER}`,
    title: titleOf(root) ?? headings.find((heading) => heading.level === 1)?.title ?? null,
    // A person looks a line up in the canonical text: HTML source lines mean nothing to a reader.
    assembled: { ...assembled, lines: { start: assembled.lines.start, number: assembled.lines.start.map((_, index) => index + 1) } },
    headings,
    warnings: warningsOf(survey?.outsideShare ?? 0, deletedPassages),
  };
}

function warningsOf(outsideShare: number, deletedPassages: number): string[] {
  const outside = Math.ceil(outsideShare * 100);
  return [
    ...(outside === 0 ? [] : [`text outside the main part of the page left out (${outside} %)`]),
    ...(deletedPassages === 0
      ? []
      : [`text that is struck through left out (${deletedPassages} ${deletedPassages === 1 ? 'passage' : 'passages'})`]),
  ];
}

function marked(line: FlowLine): string {
  return line.level === null ? line.text : `${'#'.repeat(line.level)} ${line.text}`;
}

function headingsOf(lines: readonly FlowLine[], offsets: readonly number[]): readonly Heading[] {
  return lines.flatMap(({ text, level }, index) => (level === null ? [] : [{ title: text, level, start: offsets[index] ?? 0 }]));
}

function titleOf(root: Element | null): string | null {
  const head = root === null ? null : childOf(root, 'head');
  const title = head === null ? null : childOf(head, 'title');
  const text = title?.childNodes.map((node) => ('value' in node ? node.value : '')).join('') ?? '';
  return text.trim() === '' ? null : text;
}

function childOf(parent: DefaultTreeAdapterTypes.ParentNode, tagName: string): Element | null {
  for (const node of parent.childNodes) {
    if (isElement(node) && node.tagName === tagName) return node;
  }
  return null;
}
