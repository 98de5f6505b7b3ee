import type { EndedCall, WorkedStep, WorkNews } from '../../domain/work-news.ts';
import { LabelBound } from './label-bound.ts';
import type { MetricSet } from './metric-set.ts';

/** Provider, model and task together; as many as a large manifest has. */
const MOST_QUESTIONS = 200;

const NANO = 1e9;
const MS = 1000;

/** What is counted of the work of this process. */
export class WorkMetrics {
  readonly #metrics: MetricSet;
  readonly #bound = new LabelBound<{ provider: string; model: string; task: string }>(MOST_QUESTIONS);
  readonly #inFlight = new Set<string>();

  constructor(metrics: MetricSet) {
    this.#metrics = metrics;
    metrics.set('aieval_steps_in_flight', 0);
  }

  onWork(news: WorkNews): void {
    if (news.kind === 'step.started') this.#flight(news.step, true);
    if (news.kind === 'call.ended') this.#call(news.step, news.call);
    if (news.kind === 'step.ended') this.#stepEnded(news);
    if (news.kind === 'job.ended') this.#jobEnded(news);
  }

  onLockRetry(): void {
    this.#metrics.count('aieval_lock_retries_total');
  }

  #flight({ token }: WorkedStep, begins: boolean): void {
    if (begins) this.#inFlight.add(token);
    else this.#inFlight.delete(token);
    this.#metrics.set('aieval_steps_in_flight', this.#inFlight.size);
  }

  #call(step: WorkedStep, { result, latencyMs }: EndedCall): void {
    const labels = this.#labels(step);
    const { provider, model } = labels;
    this.#metrics.count('aieval_calls_total', { ...labels, outcome: result.ok ? 'answered' : result.failure.reason });
    if (result.costNanoUsd !== null) this.#metrics.count('aieval_cost_usd_total', labels, result.costNanoUsd / NANO);
    if (!result.ok) {
      if (result.failure.reason === 'rate_limited') this.#metrics.count('aieval_rate_limited_total', { provider, model });
      return;
    }
    this.#metrics.observe('aieval_call_duration_seconds', { provider, model }, latencyMs / MS);
    this.#speed({ provider, model }, latencyMs, result);
    this.#tokens({ provider, model }, result.usage);
  }

  #speed(labels: ModelLabels, latencyMs: number, { firstTokenMs, usage }: Answered): void {
    if (firstTokenMs === null) return;
    this.#metrics.observe('aieval_first_token_seconds', labels, firstTokenMs / MS);
    const between = (usage?.output ?? 0) - 1;
    if (between > 0) this.#metrics.observe('aieval_between_tokens_seconds', labels, Math.max(0, latencyMs - firstTokenMs) / between / MS);
  }

  #tokens(labels: ModelLabels, usage: Answered['usage']): void {
    if (usage === null) return;
    const { uncachedInput, cacheRead, cacheWrite, output } = usage;
    this.#metrics.count('aieval_tokens_total', { ...labels, kind: 'input' }, uncachedInput + cacheWrite);
    this.#metrics.count('aieval_tokens_total', { ...labels, kind: 'cached_input' }, cacheRead);
    this.#metrics.count('aieval_tokens_total', { ...labels, kind: 'output' }, output);
  }

  #stepEnded({ step, outcome, failure, retryAtMs }: Extract<WorkNews, { kind: 'step.ended' }>): void {
    this.#flight(step, false);
    if (outcome === 'lost') this.#metrics.count('aieval_lease_losses_total');
    if (failure === null || retryAtMs === null || failure.reason === 'cancelled') return;
    const { provider, model } = this.#labels(step);
    this.#metrics.count('aieval_retries_total', { provider, model, reason: failure.reason });
  }

  #jobEnded({ step, state, verdict, cached }: Extract<WorkNews, { kind: 'job.ended' }>): void {
    const labels = this.#labels(step);
    const ended = state === 'cancelled' ? 'cancelled' : verdict;
    this.#metrics.count('aieval_jobs_ended_total', { ...labels, verdict: ended });
    if (state !== 'cancelled') this.#metrics.count(cached ? 'aieval_cache_hits_total' : 'aieval_cache_misses_total', labels);
  }

  #labels({ provider, model, task }: WorkedStep) {
    return this.#bound.of({ provider, model, task });
  }
}

type ModelLabels = { readonly provider: string; readonly model: string };
type Answered = Extract<EndedCall['result'], { ok: true }>;
