import { type Attributes, type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { WorkedStep, WorkNews } from '../../domain/work-news.ts';
import { callAttributes } from './call-attributes.ts';

/** Starts a span without a parent in the trace of this run. */
export type StartRoot = (tracer: Tracer, runId: string, attributes: Attributes, startTime: number) => Span;

type OpenSpan = { readonly span: Span; readonly within: Context };

/** The spans of the work of this process: run → job → attempt → call. */
export class WorkSpans {
  readonly #tracer: Tracer;
  readonly #startRoot: StartRoot;
  readonly #runs = new Map<string, OpenSpan>();
  readonly #jobs = new Map<string, OpenSpan>();
  readonly #attempts = new Map<string, OpenSpan>();

  constructor(tracer: Tracer, startRoot: StartRoot) {
    this.#tracer = tracer;
    this.#startRoot = startRoot;
  }

  runStarted(runId: string, name: string, atMs: number): void {
    this.#runs.get(runId)?.span.end(atMs);
    this.#runs.set(runId, opened(this.#startRoot(this.#tracer, runId, { 'aieval.run.id': runId, 'aieval.run.name': name }, atMs)));
  }

  runEnded(runId: string, attributes: Attributes, atMs: number): void {
    const run = this.#runs.get(runId);
    run?.span.setAttributes(attributes);
    run?.span.end(atMs);
    this.#runs.delete(runId);
  }

  onWork(news: WorkNews): void {
    if (news.kind === 'step.started') this.#attempt(news.step, news.atMs);
    if (news.kind === 'call.ended') this.#call(news);
    if (news.kind === 'step.ended') this.#attemptEnded(news);
    if (news.kind === 'job.ended') this.#jobEnded(news);
  }

  /** Ends what is open: another process may go on with it. */
  close(atMs: number): void {
    for (const open of [this.#attempts, this.#jobs, this.#runs]) {
      for (const { span } of open.values()) span.end(atMs);
      open.clear();
    }
  }

  #attempt(step: WorkedStep, atMs: number): void {
    const { stepKind, attempt, workerId } = step;
    const attributes = {
      'aieval.step': stepKind,
      'aieval.worker.id': workerId,
      ...(attempt === null ? {} : { 'aieval.attempt': attempt }),
    };
    const span = this.#tracer.startSpan(`attempt ${stepKind}`, { startTime: atMs, attributes }, this.#job(step, atMs).within);
    this.#attempts.set(step.token, opened(span));
  }

  #job(step: WorkedStep, atMs: number): OpenSpan {
    const id = idOf(step);
    const known = this.#jobs.get(id);
    if (known !== undefined) return known;
    const { runId, jobId, documentId, task, model } = step;
    const attributes = { 'aieval.job.id': jobId, 'aieval.document': documentId, 'aieval.task': task, 'aieval.model': model };
    const run = this.#runs.get(runId)?.within ?? ROOT_CONTEXT;
    const job = opened(this.#tracer.startSpan('job', { startTime: atMs, attributes }, run));
    this.#jobs.set(id, job);
    return job;
  }

  #call({ step, call, atMs }: Extract<WorkNews, { kind: 'call.ended' }>): void {
    const within = this.#attempts.get(step.token)?.within ?? ROOT_CONTEXT;
    const options = { kind: SpanKind.CLIENT, startTime: call.startedAtMs, attributes: callAttributes(step, call) };
    const span = this.#tracer.startSpan(`chat ${call.modelName}`, options, within);
    if (!call.result.ok) span.setStatus({ code: SpanStatusCode.ERROR, message: call.result.failure.reason });
    span.end(Math.max(atMs, call.startedAtMs));
  }

  #attemptEnded({ step, outcome, failure, atMs }: Extract<WorkNews, { kind: 'step.ended' }>): void {
    const open = this.#attempts.get(step.token);
    if (open === undefined) return;
    this.#attempts.delete(step.token);
    open.span.setAttribute('aieval.outcome', outcome);
    if (failure !== null)
      open.span.setStatus({ code: SpanStatusCode.ERROR, message: failure.reason }).setAttribute('error.type', failure.reason);
    open.span.end(atMs);
  }

  #jobEnded({ step, verdict, state, cached, reason, atMs }: Extract<WorkNews, { kind: 'job.ended' }>): void {
    const { span } = this.#job(step, atMs);
    this.#jobs.delete(idOf(step));
    span.setAttributes({ 'aieval.job.state': state, 'aieval.verdict': verdict, 'aieval.cached': cached });
    if (reason !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: reason }).setAttribute('error.type', reason);
    span.end(atMs);
  }
}

function opened(span: Span): OpenSpan {
  return { span, within: trace.setSpan(ROOT_CONTEXT, span) };
}

function idOf({ runId, jobId }: WorkedStep): string {
  return `${runId}/${jobId}`;
}
