import { runVerdict } from '../../domain/run.ts';
import { worstExplanation } from '../../domain/worst-score.ts';
import { shownScore } from '../../report/privacy.ts';
import type { LogRow } from '../../store/log-rows.ts';
import type { RunRow, RunTotals } from '../../store/rows.ts';
import { statusText } from '../display/bare.ts';
import type { Fields, LogLine } from '../display/log-line.ts';
import { WORDS } from '../display/plain-line.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';

/** One line of `logs` for something that happened to a job of the run; without words of documents, models and servers where they may not be shown. */
export function rowLine(run: Pick<RunRow, 'runId' | 'manifest'>, whole: LogRow, withWords = true): LogLine {
  const row = withWords ? whole : bareRow(whole);
  const label = rowLabel(run, row.job);
  const { word, fields } = row.kind === 'try' ? tryLine(row) : jobLine(row);
  const record = { run: run.runId, jobId: row.job.jobId, job: label, ...fields };
  return { ...word, text: label, fields: { ...fields, job: shortJobId(row.job.jobId) }, record };
}

function bareRow(row: LogRow): LogRow {
  if (row.kind === 'try') return { ...row, failure: row.failure && { ...row.failure, message: statusText(row.failure) } };
  return { ...row, error: row.error && { ...row.error, message: '' }, scores: row.scores.map(shownScore) };
}

/** A message that is withheld is no field. */
function failureFields({ reason, message }: { readonly reason: string; readonly message: string }): Fields {
  return { reason, ...(message === '' ? {} : { message }) };
}

type Told = { readonly word: Pick<LogLine, 'level' | 'event'>; readonly fields: Fields };
type Try = Extract<LogRow, { kind: 'try' }>;
type End = Extract<LogRow, { kind: 'job' }>;

function tryLine({ outcome, final, failure, step, index, number }: Try): Told {
  const fields = {
    // A document that is asked whole has one question.
    ...(step === 'answer' ? {} : { step: step === 'chunk' ? `${step}-${index + 1}` : step }),
    try: number,
    ...(failure === null ? {} : failureFields(failure)),
  };
  switch (outcome) {
    case 'failed':
      return { word: final ? { level: 'ERROR', event: 'step.failed' } : { level: 'RETRY', event: 'step.retry' }, fields };
    case 'lost':
      return { word: { level: 'WARN', event: 'lease.lost' }, fields: { what: 'lease lost', ...fields } };
    case 'superseded':
      return { word: { level: 'INFO', event: 'step.reask' }, fields: { what: 'asked again', ...fields } };
    case 'downgraded':
      return { word: { level: 'INFO', event: 'step.downgraded' }, fields: { what: 'asked for less', ...fields } };
  }
}

function jobLine({ state, verdict, cached, error, scores }: End): Told {
  const explanation = worstExplanation(scores);
  const fields = {
    ...(error === null ? {} : failureFields(error)),
    ...(explanation === null ? {} : { check: explanation }),
    ...(cached ? { cached } : {}),
  };
  if (state === 'cancelled' || verdict === null) return { word: { level: 'INFO', event: 'job.cancelled' }, fields: { what: 'cancelled' } };
  return { word: WORDS[verdict], fields };
}

/** The first line. */
export function startedLine({ runId, name }: RunRow): LogLine {
  return { level: 'INFO', event: 'run.started', text: `run ${runId} started`, fields: { name }, record: { run: runId, name } };
}

/** The last line of a run that is over. */
export function endedLine({ runId, state, settings }: RunRow, { results }: Pick<RunTotals, 'results'>): LogLine {
  const { pass, fail, review, error } = results;
  const verdict = runVerdict(state, results, settings.gate);
  const fields = { verdict, pass, fail, review, error };
  return { level: 'INFO', event: `run.${state}`, text: `run ${runId} ${state}`, fields, record: { run: runId, ...fields } };
}
