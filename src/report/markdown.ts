import { codeSpan } from './code-span.ts';
import { partsSentence } from './coverage-phrases.ts';
import { evidenceSentence } from './evidence-phrases.ts';
import { headlineOf } from './headline.ts';
import { type Limits, SHRINK_ORDER, shorteningNote } from './limits.ts';
import { type Links, linksInto, reportLink } from './links.ts';
import {
  configurationSection,
  errorSection,
  failureSections,
  findingSection,
  indexSection,
  matrixTable,
  partialSection,
  reviewSections,
  type Section,
  speedSection,
  warningSection,
} from './markdown-sections.ts';
import { costPhrase, counted, grouped, provenanceSentence, resultCounts, stopSentence, totals, unprovenSentence } from './phrases.ts';
import type { Summary } from './summary.ts';

/** GitHub refuses comments above 65,536 characters, and tools that post them add their own. */
const COMMENT_LENGTH = 60_000;

export type MarkdownOptions = {
  /** Where the run's folder can be read, https; `null` or absent for none such. */
  readonly artifactUrl?: string | null;
  /** Without an `artifactUrl`: `relative` to the run's folder, where the page is its summary.md (the default), or `none`. */
  readonly links?: 'relative' | 'none';
  /** Where the report can be read, https; `null` or absent for no link to it. */
  readonly reportUrl?: string | null;
  /** In UTF-16 units, at least 1000. Default 60,000. */
  readonly maxLength?: number;
};

/**
 * The summary as GitHub-flavoured Markdown for a pull-request comment: hidden marker, verdict, worst first; what differs from run to run
 * last. Where it would be too long, parts are left out whole, in a fixed order, and a note says which. Same summary and options, same bytes.
 */
export function summaryMarkdown(summary: Summary, options: MarkdownOptions = {}): string {
  const links = linksInto(options.artifactUrl ?? null, options.links);
  const report = options.reportUrl == null ? null : reportLink(options.reportUrl);
  const maxLength = options.maxLength ?? COMMENT_LENGTH;
  let page = '';
  for (const limits of SHRINK_ORDER) {
    page = rendered(summary, { limits, links, report, note: shorteningNote(summary, limits, maxLength) });
    if (page.length <= maxLength) break;
  }
  return page;
}

type Form = { readonly limits: Limits; readonly links: Links; readonly report: string | null; readonly note: string | null };

function rendered(summary: Summary, { limits, links, report, note }: Form): string {
  const sections: readonly (Section | null)[] = [
    top(summary, limits),
    ...(limits.sentences ? sentences(summary) : []),
    matrixTable(summary, limits),
    limits.sentences ? proof(summary) : null,
    ...failureSections(summary, limits, links),
    errorSection(summary, limits, links),
    ...reviewSections(summary, limits, links),
    partialSection(summary, limits),
    findingSection(summary, limits),
    ...(limits.details ? details(summary, links) : []),
    [...(limits.totals ? totals(summary) : [costPhrase(summary)]), ...(report === null ? [] : [report])].join(' · '),
    `<sub>${[provenance(summary), ...(note === null ? [] : [note])].join(' ')}</sub>`,
  ];
  return `${sections.filter((section) => section !== null && section !== '').join('\n\n')}\n`;
}

function details(summary: Summary, links: Links): readonly Section[] {
  return [warningSection(summary), configurationSection(summary), indexSection(summary, links), speedSection(summary, links)];
}

function provenance({ privacy }: Summary): string {
  return privacy === 'none'
    ? 'Text of documents and models is left out: the manifest asks for it.'
    : 'Text of documents and models is quoted as it came and not to be trusted.';
}

/** Longest names where little else has room. */
const SHORT_NAME = 20;

function top(summary: Summary, { totals: roomy }: Limits): Section {
  const { icon, word, reason } = headlineOf(summary, (text) => codeSpan(text, roomy ? undefined : SHORT_NAME));
  const { documents, run, results } = summary;
  const failed = documents.failed > 0 ? ` (${grouped(documents.failed)} without usable text)` : '';
  const name = (text: string) => codeSpan(text, roomy ? undefined : SHORT_NAME);
  return [
    `<!-- aieval:summary v1 key=${markerKey(run.name)} -->`,
    `### ${icon} aieval: ${word} — ${reason}`,
    '',
    `${name(run.name)} · ${counted(documents.total, 'document')}${failed}, ${resultCounts(results)} · run ${name(run.id)}`,
  ].join('\n');
}

/** Names are slugs; in a file that someone else wrote they may be anything, and this stands inside a comment. */
function markerKey(name: string): string {
  return name
    .slice(0, 100)
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/-{2,}/g, '-');
}

function sentences(summary: Summary): readonly (string | null)[] {
  return [provenanceSentence(summary), openSentence(summary), stopSentence(summary, codeSpan)];
}

function openSentence(summary: Summary): string | null {
  const { jobs, verdict } = summary;
  if (verdict !== null || jobs.open === 0) return null;
  const next = codeSpan(goOnCommand(summary));
  return `${counted(jobs.open, 'job')} of ${grouped(jobs.total)} still open when this was written. ${next} goes on with them.`;
}

function goOnCommand({ run, manifest, stoppedBy }: Summary): string {
  if (run.state === 'paused') return `aieval resume ${run.id}`;
  const needed = stoppedBy.every(({ why }) => why === 'tags') ? stoppedBy.flatMap(({ tags = [] }) => tags) : [];
  return needed.length === 0 ? `aieval run ${manifest}` : `aieval worker --tags ${[...new Set(needed)].join(',')}`;
}

function proof(summary: Summary): string {
  const evidence = evidenceSentence(summary);
  const { warnings } = summary;
  const warned = warnings > 0 ? `${counted(warnings, 'failed check')} of severity "warn" changed no verdict.` : null;
  const parts = [evidence === null ? null : `Evidence: ${evidence}`, unprovenSentence(summary), partsSentence(summary), warned];
  return parts.filter((part) => part !== null).join(' ');
}
