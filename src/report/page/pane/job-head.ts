import { notEvaluatedPhrase } from '../../coverage-phrases.ts';
import type { ReportJob } from '../../html/report-data.ts';
import { counted, duration, grouped, usd } from '../../phrases.ts';
import { button, type Child, cutText, el, visible } from '../dom.ts';
import { artifactHref } from '../logic/link.ts';
import type { IndexedRow } from '../logic/rows.ts';
import { visibleString } from '../logic/visible-text.ts';
import type { Report } from '../report.ts';
import { plainWord, VERDICT_WORDS } from '../words.ts';

const MESSAGE_LENGTH = 2000;
const SHORT_ID = 8;

export type PaneActions = { readonly onClose: () => void; readonly onMove: (by: number) => void };

/** Verdict, identity and figures of a job. */
export function jobHead(report: Report, row: IndexedRow, job: ReportJob | null, actions: PaneActions): HTMLElement {
  const { sign, word } = VERDICT_WORDS[row.verdict];
  const { task, jobId } = row.row;
  return el(
    'header',
    { class: 'job-head' },
    el(
      'div',
      { class: 'job-line' },
      el('span', { class: `badge is-${row.verdict}` }, `${sign} ${word}`),
      el('h2', { id: 'job-title', attributes: { tabindex: '-1' } }, visible(row.document)),
      el(
        'span',
        { class: 'job-actions' },
        button({ title: 'Previous job (k)', onClick: () => actions.onMove(-1), attributes: { 'aria-label': 'Previous job' } }, '↑'),
        button({ title: 'Next job (j)', onClick: () => actions.onMove(1), attributes: { 'aria-label': 'Next job' } }, '↓'),
        button({ title: 'Close (Esc)', onClick: actions.onClose, attributes: { 'aria-label': 'Close job' } }, '✕'),
      ),
    ),
    el(
      'p',
      { class: 'job-sub' },
      visible(`${task} · ${row.model}`),
      el('code', { class: 'command' }, `aieval show ${jobId.slice(0, SHORT_ID)}`),
    ),
    el('p', { class: 'job-figures' }, ...joined(figures(report, row, job))),
    ...troubles(report, row, job),
  );
}

function figures(report: Report, { row }: IndexedRow, job: ReportJob | null): Child[] {
  const { artifactsBase } = report.data.index;
  const href = artifactHref(artifactsBase, job?.artifacts ?? null);
  const input = job === null ? 0 : job.usage.uncachedInput + job.usage.cacheRead + job.usage.cacheWrite;
  return [
    row.costUsd === null ? 'cost unknown' : `cost ${usd(row.costUsd)}`,
    row.latencyMs === null ? null : duration(row.latencyMs),
    counted(row.attempts, 'attempt'),
    job === null || input === 0 ? null : `${grouped(input)} tokens in, ${grouped(job.usage.output)} out`,
    row.cached ? origin(job) : null,
    job?.reasked === true ? 're-asked' : null,
    job?.repaired === true ? 'repaired' : null,
    href === null ? null : el('a', { attributes: { href, rel: 'noreferrer noopener', target: '_blank' } }, 'artifacts'),
  ];
}

function origin(job: ReportJob | null): string {
  if (job === null || job.origin === null) return 'from cache';
  const { runId, jobId, costUsd } = job.origin;
  return `from cache: paid in run ${visibleString(runId)}, job ${visibleString(jobId.slice(0, SHORT_ID))}${costUsd === null ? '' : ` (${usd(costUsd)})`}`;
}

/** What went wrong before any check, and what the model did not see. */
function troubles(report: Report, { row }: IndexedRow, job: ReportJob | null): HTMLElement[] {
  const document = report.data.index.documents[row.document];
  const error = job?.error ?? document?.error ?? null;
  const unseen = job?.coverage == null ? '' : notEvaluatedPhrase(job.coverage, (title) => `“${visibleString(title)}”`);
  return [
    ...(error === null
      ? []
      : [el('p', { class: 'trouble is-error' }, el('b', {}, `${plainWord(error.reason)}: `), cutText(error.message, MESSAGE_LENGTH))]),
    ...(unseen === '' ? [] : [el('p', { class: 'trouble' }, el('b', {}, 'Not seen by the model: '), unseen)]),
    ...(document?.warnings ?? []).slice(0, 5).map((warning) => el('p', { class: 'trouble' }, cutText(warning, MESSAGE_LENGTH))),
  ];
}

function joined(parts: readonly Child[]): Child[] {
  return parts.filter((part) => part !== null).flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
}
