import type { DraftLine } from '../assemble.ts';

/** A page without its running lines (`stripped`) and the blank lines around its text. `label` is the number printed in its footer. */
export type RfcPage = { readonly label: string | null; readonly lines: readonly DraftLine[]; readonly stripped: readonly string[] };

const FOOTER = /\[Page\s+(\d+|[ivxlc]+)\]$/i;
const STANDARD_HEADER = /^(?:RFC\s+\d+|Internet[- ]Draft)\s.*\d{4}$/i;
/** A first line that this share of the pages has in common, digits aside, is a header. */
const HEADER_SHARE = 0.6;

/** Whether a text is set like an RFC or an Internet-Draft: page footers behind form feeds, or the header block of the first page. */
export function looksLikeRfc(text: string): boolean {
  if (text.includes('\f') && /\[Page\s+(?:\d+|[ivxlc]+)\]/i.test(text)) return true;
  const opening = text.trimStart().slice(0, 1200).split(/\r?\n/).slice(0, 10).join('\n');
  return (
    /^(?:Request for Comments:\s*\d+|Internet[- ]Draft\s)/im.test(opening) && /^(?:Category|Intended status|Expires):?\s/im.test(opening)
  );
}

/** Pages of the lines of an RFC, running lines removed; blank pages after the last form feed are left out. */
export function rfcPages(lines: readonly DraftLine[]): readonly RfcPage[] {
  const pages = groupByPage(lines).map(trimBlankLines);
  while (pages.length > 1 && pages.at(-1)?.length === 0) pages.pop();
  const header = commonHeader(pages);
  return pages.map((page, index) => stripPage(page, { isFirst: index === 0, header }));
}

function stripPage(page: readonly DraftLine[], context: { isFirst: boolean; header: string | null }): RfcPage {
  const last = page.at(-1)?.text.trim() ?? '';
  const footer = FOOTER.exec(last);
  const body = footer === null ? page : page.slice(0, -1);
  const first = body[0]?.text.trimEnd() ?? '';
  const hasHeader = !context.isFirst && body.length > 0 && (STANDARD_HEADER.test(first) || masked(first) === context.header);
  return {
    label: footer?.[1] ?? null,
    lines: trimBlankLines(hasHeader ? body.slice(1) : body),
    stripped: [...(hasHeader ? [first.trim()] : []), ...(footer === null ? [] : [last])].map((line) => line.replace(/\s+/g, ' ')),
  };
}

function commonHeader(pages: readonly (readonly DraftLine[])[]): string | null {
  const counts = new Map<string, number>();
  for (const page of pages.slice(1)) {
    const first = masked(page[0]?.text ?? '');
    if (first !== '') counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const needed = Math.max(2, (pages.length - 1) * HEADER_SHARE);
  return [...counts].find(([, count]) => count >= needed)?.[0] ?? null;
}

function masked(line: string): string {
  return line.trim().replace(/\d+/g, '#');
}

function groupByPage(lines: readonly DraftLine[]): DraftLine[][] {
  const pages: DraftLine[][] = [];
  for (const line of lines) {
    while (pages.length <= line.page) pages.push([]);
    pages[line.page]?.push(line);
  }
  return pages;
}

function trimBlankLines(lines: readonly DraftLine[]): readonly DraftLine[] {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start]?.text.trim() === '') start += 1;
  while (end > start && lines[end - 1]?.text.trim() === '') end -= 1;
  return lines.slice(start, end);
}
