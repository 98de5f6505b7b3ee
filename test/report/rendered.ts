import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';

/** Markdown as GitHub shows it before it cleans it: raw HTML and every address are let through. */
export function html(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true, allowDangerousProtocol: true });
}

type Node = DefaultTreeAdapterMap['childNode'];

export type Page = {
  /** Elements with their attributes, in order: `td align=right`. */
  readonly elements: readonly string[];
  readonly comments: readonly string[];
  /** Targets of links. */
  readonly links: readonly string[];
  /** Text that stands outside of code. */
  readonly prose: string;
  /** Of each row of each table, the number of its cells. */
  readonly cells: readonly number[];
};

/** What a browser makes of it. */
export function parsedPage(markdown: string): Page {
  const elements: string[] = [];
  const comments: string[] = [];
  const links: string[] = [];
  const cells: number[] = [];
  let prose = '';
  const visit = (node: Node, inCode: boolean): void => {
    if (node.nodeName === '#comment' && 'data' in node) comments.push(node.data.trim());
    if (node.nodeName === '#text' && 'value' in node && !inCode) prose += node.value;
    if (!('tagName' in node)) return;
    elements.push([node.tagName, ...node.attrs.map(({ name, value }) => (name === 'href' ? 'href' : `${name}=${value}`))].join(' '));
    links.push(...node.attrs.flatMap(({ name, value }) => (name === 'href' ? [value] : [])));
    if (node.tagName === 'tr') cells.push(node.childNodes.filter((child) => 'tagName' in child).length);
    for (const child of node.childNodes) visit(child, inCode || node.tagName === 'code');
  };
  for (const node of parseFragment(html(markdown)).childNodes) visit(node, false);
  return { elements, comments, links, prose, cells };
}
