import { fromMarkdown } from 'mdast-util-from-markdown';
import { assemble } from './assemble.ts';
import type { FormatContent } from './content.ts';
import { parsedBy } from './document-failure.ts';
import { NORMALISER } from './normalise.ts';
import type { Heading } from './sections.ts';
import { splitLines } from './split-lines.ts';

type Node = {
  readonly type: string;
  readonly value?: string;
  readonly alt?: string | null | undefined;
  readonly children?: readonly Node[];
};

// YAML front matter would parse as a rule and an underlined heading.
const FRONT_MATTER = /^---\n[\s\S]*?\n(?:---|\.\.\.)(?:\n|$)/;

/**
 * Content of Markdown: the source itself, not rendered, because quotes must match what stands in the file. Sections are the
 * headings at the top level as a CommonMark parser sees them; the title is the first of level 1.
 */
export function readMarkdown(text: string): FormatContent {
  const assembled = assemble(splitLines(text));
  const headings = headingsOf(assembled.text);
  return {
    format: 'markdown',
    extractor: `md@1+${NORMALISER}`,
    title: headings.find((heading) => heading.level === 1)?.title ?? null,
    assembled,
    headings,
    warnings: [],
  };
}

function headingsOf(text: string): readonly Heading[] {
  // Blanked, not cut, so that the parser's offsets stay offsets of the canonical text.
  const parsed = text.replace(FRONT_MATTER, (matter) => matter.replace(/[^\n]/g, ' '));
  const tree = parsedBy('the Markdown parser', () => fromMarkdown(parsed));
  const headings: Heading[] = [];
  for (const node of tree.children) {
    if (node.type !== 'heading' || node.position?.start.offset === undefined) continue;
    headings.push({ title: textOf(node), level: node.depth, start: node.position.start.offset });
  }
  return headings;
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
