import { dataBlock } from './data-block.ts';
import { contentPolicy, embeddable, type PageAssets } from './page-assets.ts';
import type { ReportDocument, ReportIndex, ReportJob } from './report-data.ts';
import { staticPart, titleText } from './static-part.ts';

export type ReportParts = {
  readonly index: ReportIndex;
  /** Those that have text, by their place in the index. */
  readonly documents: AsyncIterable<{ readonly place: number; readonly document: ReportDocument }>;
  /** In the order of the index. */
  readonly jobs: AsyncIterable<ReportJob>;
  /** Asked for once, when all jobs are through. */
  readonly strings: () => readonly string[];
  readonly assets: PageAssets;
};

/**
 * The report as one HTML file, piece by piece, so that the jobs need not stand in memory together. It asks for nothing: script and style
 * stand in it, and its policy allows nothing else. The script comes last, when all data is there.
 */
export async function* reportHtml({ index, documents, jobs, strings, assets }: ReportParts): AsyncGenerator<string> {
  const page = embeddable(assets);
  yield head(index, page);
  yield staticPart(index);
  yield '<div id="app"></div>\n';
  yield dataBlock('aieval-index', index);
  for await (const { place, document } of documents) yield dataBlock(`aieval-document-${place}`, document);
  yield* jobBlocks(jobs, index.jobsPerBlock);
  yield dataBlock('aieval-strings', strings());
  yield `<script>${page.script}</script>\n</body>\n</html>\n`;
}

/** The encoding comes first, then the policy, which rules what stands behind it. */
function head({ summary }: ReportIndex, page: PageAssets): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(page)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${titleText(summary)}</title>`,
    `<style>${page.style}</style>`,
    '</head>',
    '<body>',
    '',
  ].join('\n');
}

async function* jobBlocks(jobs: AsyncIterable<ReportJob>, jobsPerBlock: number): AsyncGenerator<string> {
  let block: ReportJob[] = [];
  let number = 0;
  for await (const job of jobs) {
    block.push(job);
    if (block.length < jobsPerBlock) continue;
    yield dataBlock(`aieval-jobs-${number}`, block);
    block = [];
    number += 1;
  }
  if (block.length > 0) yield dataBlock(`aieval-jobs-${number}`, block);
}
