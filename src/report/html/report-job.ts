import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import type { Span } from '../../domain/document.ts';
import type { ResultLine } from '../../domain/result-line.ts';
import type { StepKind } from '../../domain/step.ts';
import { textPieces } from '../../domain/text-pieces.ts';
import type { Contents } from './contents.ts';
import type { ReportAttempt, ReportJob, ReportMessage, ReportStep } from './report-data.ts';
import type { StringTable } from './string-table.ts';

/** All that a report may say of a job. */
export type JobSource = {
  readonly line: ResultLine;
  /** The judged answer; absent where there is none. */
  readonly answer?: Json | undefined;
  readonly steps: readonly StepSource[];
  readonly attempts: readonly ReportAttempt[];
  /** The document's canonical text. */
  readonly text: string | null;
};

export type StepSource = {
  readonly name: string;
  readonly kind: StepKind;
  /** What of the text the prompt was to hold; `null` for one that was made of answers. */
  readonly asked: Span | null;
  /** What was sent, and what came; `null` where nothing is stored. */
  readonly completion: Pick<Completion, 'content' | 'wireBody'> | null;
  /** Whether the judged answer is this step's content, as it came. */
  readonly isJudged: boolean;
};

/** A job with as much of its texts as the report is to hold. */
export function reportJob(source: JobSource, { prompts, answers, messages }: Contents, strings: StringTable): ReportJob {
  const { line, answer, text } = source;
  return {
    jobId: line.jobId,
    scores: line.scores,
    error: line.error,
    ...(answers && answer !== undefined ? { answer } : {}),
    repaired: line.repaired,
    reasked: line.reasked,
    coverage: line.coverage ?? null,
    usage: line.usage,
    origin: line.origin && { runId: line.origin.runId, jobId: line.origin.jobId, costUsd: line.origin.costUsd },
    steps: source.steps.map((step) => reportStep(step, text, prompts ? strings : null)),
    attempts: messages ? source.attempts : source.attempts.map((attempt) => ({ ...attempt, message: null })),
    artifacts: line.artifacts,
  };
}

/** `strings`: `null` leaves out what was sent and what came. */
function reportStep({ name, kind, asked, completion, isJudged }: StepSource, text: string | null, strings: StringTable | null): ReportStep {
  if (strings === null || completion === null) return { name, kind };
  const messages = messagesOf(completion.wireBody)?.map(({ role, content }): ReportMessage => {
    const pieces = (text === null || asked === null ? null : textPieces(content, text, asked)) ?? [content];
    return { role, pieces: pieces.map((piece) => (typeof piece === 'string' ? strings.place(piece) : piece)) };
  });
  return { name, kind, ...(messages === undefined ? {} : { messages }), ...(isJudged ? {} : { raw: completion.content }) };
}

function messagesOf(wireBody: Json): readonly { readonly role: string; readonly content: string }[] | undefined {
  const messages = objectOf(wireBody).messages;
  if (!Array.isArray(messages)) return undefined;
  return messages.map((message: Json) => {
    const { role, content } = objectOf(message);
    return { role: textOf(role), content: textOf(content) };
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function objectOf(value: Json): { readonly [key: string]: Json } {
  return isObject(value) ? value : {};
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
