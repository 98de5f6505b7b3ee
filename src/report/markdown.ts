import { codeSpan } from './code-span.ts';
import { partsSentence } from './coverage-phrases.ts';
import { evidenceSentence } from './evidence-phrases.ts';
import { headlineOf } from './headline.ts';
import { type Limits, SHRINK_ORDER, shorteningNote } from './limits.ts';
import { type Links, linksInto } from './links.ts';
import {
  configurationSection,
  errorSection,
  failureSections,
  indexSection,
  matrixTable,
  partialSection,
  reviewSection,
  type Section,
  warningSection,
} from './markdown-sections.ts';
import { counted, grouped, provenanceSentence, resultCounts, stopSentence, totals, unprovenSentence } from './phrases.ts';
import type { Summary } from './summary.ts';

/** GitHub refuses comments above 65,536 characters, and tools that post them add their own. */
const COMMENT_LENGTH = 60_000;

export type MarkdownOptions = {
  /** Where the run's folder can be read, http or https; `null` or absent for links relative to it. */
  readonly artifactUrl?: string | null;
  /** In UTF-16 units. Default 60,000. */
  readonly maxLength?: number;
};

/**
 * The summary as GitHub-flavoured Markdown for a pull-request comment: hidden marker, verdict, worst first. Where it would be too
 * long, parts are left out whole, in a fixed order, and a note says which. Same summary and options, same bytes.
 */
export function summaryMarkdown(summary: Summary, options: MarkdownOptions = {}): string {
  const links = linksInto(options.artifactUrl ?? null);
  const maxLength = options.maxLength ?? COMMENT_LENGTH;
  let page = '';
  for (const limits of SHRINK_ORDER) {
    page = rendered(summary, { limits, links, note: shorteningNote(summary, limits, maxLength) });
    if (page.length <= maxLength) break;
  }
  return page;
}

function rendered(summary: Summary, { limits, links, note }: { limits: Limits; links: Links; note: string | null }): string {
  const sections: readonly (Section | null)[] = [
    top(summary),
    provenanceSentence(summary),
    openSentence(summary),
    stopSentence(summary, codeSpan),
    matrixTable(summary, limits),
    proof(summary),
    ...failureSections(summary, limits, links),
    errorSection(summary, limits, links),
    partialSection(summary, limits),
    reviewSection(summary, limits, links),
    ...(limits.details ? [warningSection(summary), configurationSection(summary, links), indexSection(summary, links)] : []),
    totals(summary).join(' · '),
    `<sub>Text of documents and models is quoted as it came and not to be trusted. ${note ?? ''}`.trimEnd().concat('</sub>'),
  ];
  return `${sections.filter((section) => section !== null && section !== '').join('\n\n')}\n`;
}

function top(summary: Summary): Section {
  const { icon, word, reason } = headlineOf(summary);
  const { documents, run, results } = summary;
  const failed = documents.failed > 0 ? ` (${grouped(documents.failed)} without usable text)` : '';
  return [
    `<!-- aieval:summary v1 key=${markerKey(run.name)} -->`,
    `### ${icon} aieval: ${word} — ${reason}`,
    '',
    `${codeSpan(run.name)} · ${counted(documents.total, 'document')}${failed}, ${resultCounts(results)} · run ${codeSpan(run.id)}`,
  ].join('\n');
}

/** Names are slugs; in a file that someone else wrote they may be anything, and this stands inside a comment. */
function markerKey(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/-{2,}/g, '-')
    .slice(0, 100);
}

function openSentence({ jobs, verdict, manifest }: Summary): string | null {
  if (verdict !== null || jobs.open === 0) return null;
  return `${counted(jobs.open, 'job')} of ${grouped(jobs.total)} still open when this was written. ${codeSpan(`aieval run ${manifest}`)} goes on with them.`;
}

function proof(summary: Summary): string {
  const evidence = evidenceSentence(summary);
  const { warnings } = summary;
  const warned = warnings > 0 ? `${counted(warnings, 'failed check')} of severity "warn" changed no verdict.` : null;
  const parts = [evidence === null ? null : `Evidence: ${evidence}`, unprovenSentence(summary), partsSentence(summary), warned];
  return parts.filter((part) => part !== null).join(' ');
}
