import { traceIdOf } from '../../domain/trace-id.ts';
import type { EndedCall, WorkedStep, WorkFailure, WorkNews } from '../../domain/work-news.ts';
import type { LogRecord } from './log-record.ts';

/** What the log holds of a piece of work. */
export function workRecord(news: WorkNews): LogRecord {
  switch (news.kind) {
    case 'step.started':
      return { level: 'debug', event: news.kind, fields: whose(news.step) };
    case 'call.ended':
      return callRecord(news.step, news.call);
    case 'step.ended':
      return stepRecord(news);
    case 'job.ended': {
      const { step, state, verdict, cached, reason } = news;
      return {
        level: verdict === 'error' ? 'error' : 'info',
        event: news.kind,
        fields: { ...whose(step), state, verdict, cached, reason },
      };
    }
  }
}

function whose({ runId, workerId, jobId, documentId, task, model, provider, stepKind, attempt }: WorkedStep): LogRecord['fields'] {
  const ids = { run_id: runId, trace_id: traceIdOf(runId), worker_id: workerId, job_id: jobId };
  return { ...ids, document: documentId, task, model, provider, step: stepKind, attempt };
}

function callRecord(step: WorkedStep, { latencyMs, providerRequestId, result }: EndedCall): LogRecord {
  const fields = {
    ...whose(step),
    provider_request_id: providerRequestId,
    latency_ms: Math.round(latencyMs),
    cost_usd: usd(result.costNanoUsd),
  };
  if (!result.ok) return { level: 'warn', event: 'call.failed', fields: { ...fields, ...failureFields(result.failure) } };
  const { usage, finishReason, firstTokenMs } = result;
  const tokens = {
    input_tokens: usage === null ? null : usage.uncachedInput + usage.cacheRead + usage.cacheWrite,
    cached_input_tokens: usage?.cacheRead ?? null,
    output_tokens: usage?.output ?? null,
  };
  const first = firstTokenMs === null ? null : Math.round(firstTokenMs);
  return { level: 'info', event: 'call.answered', fields: { ...fields, first_token_ms: first, finish_reason: finishReason, ...tokens } };
}

function stepRecord({ step, outcome, failure, retryAtMs }: Extract<WorkNews, { kind: 'step.ended' }>): LogRecord {
  if (outcome === 'lost') return { level: 'warn', event: 'lease.lost', fields: whose(step) };
  const fields = { ...whose(step), outcome, ...failureFields(failure) };
  if (retryAtMs === null) return { level: 'debug', event: 'step.ended', fields };
  return { level: 'warn', event: 'step.retry', fields: { ...fields, retry_at: new Date(retryAtMs).toISOString() } };
}

function failureFields(failure: WorkFailure | null): LogRecord['fields'] {
  return failure === null ? {} : { reason: failure.reason, class: failure.class, status: failure.status ?? null };
}

function usd(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : nanoUsd / 1e9;
}
