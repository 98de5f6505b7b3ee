import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { assemble } from '../assemble.ts';
import type { FormatContent } from '../content.ts';
import { parsedBy } from '../document-failure.ts';
import { NORMALISER } from '../normalise.ts';
import type { Heading } from '../sections.ts';
import { blocksOf } from './block-recorder.ts';
import { type Element, isElement } from './elements.ts';
import type { FlowLine } from './flow.ts';
import { type LeftOut, pageText } from './page-text.ts';
import { surveyPage } from './survey.ts';
import { xhtmlAsHtml } from './xhtml.ts';

/** What is known of HTML beside its text. `isXml`: it is XHTML. `areTablesData`: no table only arranges the page. */
export type HtmlOrigin = { readonly isXml?: boolean; readonly areTablesData?: boolean };

/** Content of an HTML page: what a reader sees, sections by its headings, title from `<title>`, else from the first `<h1>`. */
export function readHtml(html: string, { isXml = false, areTablesData = false }: HtmlOrigin = {}): FormatContent {
  const source = isXml || /^\s*<\?xml\s/.test(html) ? xhtmlAsHtml(html) : html;
  const page = parsedBy('the HTML parser', () => parse(source));
  const root = childOf(page, 'html');
  const survey = root === null ? null : surveyPage(root, areTablesData);
  const { lines, blocks, left } = survey === null ? NOTHING : pageText(survey);
  const assembled = assemble(lines.map((line) => ({ text: marked(line), number: 1, page: 0 })));
  const headings = headingsOf(lines, assembled.offsets);
  return {
    format: 'html',
    extractor: `html@3:parse5@8.1.1+${NORMALISER}`,
    title: titleOf(root) ?? headings.find((heading) => heading.level === 1)?.title ?? null,
    // A person looks a line up in the canonical text: HTML source lines mean nothing to a reader.
    assembled: { ...assembled, lines: { start: assembled.lines.start, number: assembled.lines.start.map((_, index) => index + 1) } },
    headings,
    blocks: blocksOf(blocks, assembled.text, assembled.offsets),
    warnings: warningsOf(survey?.outsideShare ?? 0, left),
  };
}

const NOTHING = { lines: [], blocks: [], left: { deleted: 0, hidden: 0 } };

function warningsOf(outsideShare: number, { deleted, hidden }: LeftOut): string[] {
  const outside = Math.ceil(outsideShare * 100);
  const passages = (count: number) => `(${count} ${count === 1 ? 'passage' : 'passages'})`;
  return [
    ...(outside === 0 ? [] : [`text outside the main part of the page left out (${outside} %)`]),
    ...(deleted === 0 ? [] : [`text that is struck through left out ${passages(deleted)}`]),
    ...(hidden === 0 ? [] : [`hidden text left out ${passages(hidden)}`]),
  ];
}

function marked(line: FlowLine): string {
  return line.level === null ? line.text : `${'#'.repeat(line.level)} ${line.text}`;
}

function headingsOf(lines: readonly FlowLine[], offsets: readonly number[]): readonly Heading[] {
  return lines.flatMap(({ text, level, anchor }, index) => {
    if (level === null) return [];
    return [{ title: text, level, start: offsets[index] ?? 0, ...(anchor === undefined ? {} : { anchor }) }];
  });
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
