import { evidenceSentence } from '../evidence-phrases.ts';
import { headlineOf } from '../headline.ts';
import { counted, grouped, provenanceSentence, resultCounts, stopSentence, totals, unprovenSentence } from '../phrases.ts';
import type { Summary } from '../summary.ts';
import { escaped, escapedHtml, shown } from './escaped.ts';
import { notPassed } from './not-passed.ts';
import type { ReportIndex } from './report-data.ts';

/** The title of the report's window: verdict and run. */
export function titleText(summary: Summary): string {
  return escaped(`${headlineOf(summary).word} · ${summary.run.name} · ${summary.run.id} · aieval`);
}

/**
 * What the report says without its script: verdict, counts, cost, and what did not pass, with its quotes. The texts of documents and models
 * are escaped and shortened, and hold nothing invisible.
 */
export function staticPart({ summary, notes, artifactsBase }: ReportIndex): string {
  const { word, reason } = headlineOf(summary);
  const { run, documents } = summary;
  const sentences = [
    provenanceSentence(summary),
    stopSentence(summary, shown),
    evidenceSentence(summary),
    unprovenSentence(summary),
    ...notes,
  ].filter((sentence) => sentence !== null);
  return [
    '<main id="static">',
    `<h1 class="is-${summary.verdict ?? 'open'}">${escaped(`${word} — ${reason}`)}</h1>`,
    `<p><strong>${escaped(run.name)}</strong> · ${counted(documents.total, 'document')}, ${resultCounts(summary.results)} · run <code>${escaped(run.id)}</code></p>`,
    ...banner(summary),
    `<p>${escapedHtml(totals(summary).join(' · '))}</p>`,
    ...sentences.map((sentence) => `<p>${escapedHtml(sentence)}</p>`),
    '<noscript><p>This is what did not pass. With JavaScript the report shows every job and every document.</p></noscript>',
    ...notPassed(summary, artifactsBase),
    '</main>',
    '',
  ].join('\n');
}

function banner({ verdict, jobs, run }: Summary): string[] {
  if (verdict !== null && jobs.open === 0) return [];
  const open = `${grouped(jobs.open)} of ${counted(jobs.total, 'job')} ${jobs.open === 1 ? 'is' : 'are'} open`;
  const text = run.state === 'cancelled' ? `This run was cancelled: ${open}.` : `This run is not finished: ${open}. Numbers will change.`;
  return [`<p role="status"><strong>${text}</strong></p>`];
}
