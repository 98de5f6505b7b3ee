import picomatch from 'picomatch';
import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import { UserError } from '../domain/errors.ts';
import { jobIdOf } from '../domain/job.ts';
import { answerKey, type KeyParts, keyRecord } from '../domain/key.ts';
import type { MatrixRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { runIdentity } from '../domain/run.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import { createCutter } from './cut-document.ts';
import { judgedByOf } from './judged-by.ts';
import { type LoweredPart, planQuestion, type Question, type QuestionPrompt } from './plan-question.ts';
import { formTokens, type PlannedPrompt, planPrompt } from './planned-prompt.ts';
import type { ReadDocument } from './read-documents.ts';
import type { Route } from './routes.ts';

/** What `plan` shows and `run` enqueues. Jobs in plan order: document, task, model, repeat. */
export type Plan = {
  readonly jobs: readonly NewJob[];
  readonly identity: string;
  /** What of the manifest could not be done as it is stated. */
  readonly warnings: readonly string[];
};

const PREFIX_CHARACTERS = 32;

/**
 * Expands documents × tasks × models × repeats, minus `matrix.exclude`, then only `matrix.only`. A job whose document has no
 * usable text, or whose prompts cannot fit its model or its provider's minute, is planned as failed: counted and never asked.
 */
export function planJobs(manifest: ResolvedManifest, documents: readonly ReadDocument[], routes: ReadonlyMap<string, Route>): Plan {
  const jobs: NewJob[] = [];
  const lowered = new Map<string, LoweredPart>();
  const selected = matrixFilter(manifest.matrix);
  for (const document of documents) {
    const ask = questionsOf(manifest, document);
    for (const task of Object.values(manifest.tasks).filter((each) => takesDocument(each, document))) {
      for (const model of modelsOf(manifest, task)) {
        if (!selected(document.documentId, task.id, model.id)) continue;
        const question = ask(task, model);
        if (question.kind === 'asked') keepLeast(lowered, `tasks.${task.id}.chunk: parts for model "${model.id}"`, question.lowered);
        for (let repeat = 0; repeat < task.repeats; repeat += 1) {
          if (jobs.length >= manifest.maxJobs) throw tooManyJobs(manifest.maxJobs);
          jobs.push(planJob({ manifest, document, task, model, repeat, seq: jobs.length, route: routeOf(routes, model), question }));
        }
      }
    }
  }
  const warnings = [...lowered].map(
    ([what, { stated, tokens }]) => `${what} have at most ${tokens} tokens: maxTokens = ${stated} does not fit`,
  );
  return { jobs, identity: identityOf(manifest, jobs), warnings };
}

function keepLeast(lowered: Map<string, LoweredPart>, name: string, part: LoweredPart | null): void {
  const known = lowered.get(name);
  if (part !== null && (known === undefined || part.tokens < known.tokens)) lowered.set(name, part);
}

/** What tasks ask models about one document. What does not hang on the model, or not on the task, is made once. */
function questionsOf(manifest: ResolvedManifest, document: ReadDocument): (task: ResolvedTask, model: ResolvedModel) => Question {
  const { documentId, extraction, tokens } = document;
  if (!extraction.ok) {
    const failure = { reason: extraction.reason, message: extraction.message };
    return () => ({ kind: 'failed', failure });
  }
  const counted = { documentId, content: extraction.content, tokens };
  const cut = createCutter(counted);
  let last: { readonly task: ResolvedTask; readonly whole: PlannedPrompt } | null = null;
  return (task, model) => {
    if (last?.task !== task) last = { task, whole: planPrompt(task, counted) };
    return planQuestion({ manifest, task, model, document: counted, whole: last.whole, cut });
  };
}

type JobInput = {
  readonly manifest: ResolvedManifest;
  readonly document: ReadDocument;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeat: number;
  readonly seq: number;
  readonly route: Route;
  readonly question: Question;
};

function planJob(input: JobInput): NewJob {
  const { document, task, model, repeat, seq, question } = input;
  const { documentId, bytesSha256, extraction } = document;
  const isAsked = question.kind === 'asked';
  return {
    jobId: jobIdOf({ documentId, bytesSha256, task: task.id, model: model.id, params: model.params, repeat }),
    seq,
    documentId,
    textSha256: extraction.ok ? extraction.content.textSha256 : null,
    task: task.id,
    model: model.id,
    repeat,
    priority: task.priority,
    failure: isAsked ? null : question.failure,
    later: isAsked ? question.later : [],
    steps: isAsked ? question.prompts.map((prompt) => callStep(input, prompt)) : [],
  };
}

function callStep({ manifest, task, model, repeat, route }: JobInput, { planned, part }: QuestionPrompt): NewStep {
  const { system, prompt, inputTokens, maxInputTokens } = planned;
  const parts: KeyParts = {
    endpoint: route.endpoint,
    model: model.model,
    params: model.params,
    structuredOutput: model.structuredOutput,
    output: task.output,
    system,
    prompt,
    repeat,
    namespace: manifest.cache.namespace,
  };
  return {
    kind: part === null ? 'answer' : 'chunk',
    index: part?.index ?? 0,
    key: answerKey(parts),
    keyRecord: keyRecord(parts),
    laneId: route.laneId,
    inputTokens: inputTokens + formTokens(task, model.structuredOutput),
    maxInputTokens,
    prefix: prefixOf(model, planned),
    input: part === null ? null : { kind: 'part', part },
  };
}

/** What caches go by: the model, the system message, and how the prompt begins. */
function prefixOf({ model }: ResolvedModel, { system, beginningSha256 }: PlannedPrompt): string | null {
  if (beginningSha256 === null) return null;
  return sha256Hex(canonicalJson([model, system, beginningSha256])).slice(0, PREFIX_CHARACTERS);
}

function modelsOf(manifest: ResolvedManifest, task: ResolvedTask): ResolvedModel[] {
  return Object.values(manifest.models).filter((model) => task.models === null || task.models.includes(model.id));
}

function routeOf(routes: ReadonlyMap<string, Route>, model: ResolvedModel): Route {
  const route = routes.get(model.id);
  if (route === undefined) throw new Error(`no route for model ${model.id}`);
  return route;
}

function takesDocument(task: ResolvedTask, document: ReadDocument): boolean {
  return task.documents === null || task.documents.some((rule) => matchesRule(rule, document));
}

function matchesRule(rule: string, document: ReadDocument): boolean {
  return rule.startsWith('tag:') ? document.tags.includes(rule.slice('tag:'.length)) : picomatch.isMatch(document.documentId, rule);
}

function matrixFilter(matrix: ResolvedManifest['matrix']): (document: string, task: string, model: string) => boolean {
  const exclude = matrix.exclude.map(ruleMatcher);
  const only = matrix.only.map(ruleMatcher);
  return (document, task, model) =>
    !exclude.some((matches) => matches(document, task, model)) &&
    (only.length === 0 || only.some((matches) => matches(document, task, model)));
}

function ruleMatcher(rule: MatrixRule): (document: string, task: string, model: string) => boolean {
  const [document, task, model] = [rule.document, rule.task, rule.model].map((glob) => (glob === null ? () => true : picomatch(glob)));
  return (d, t, m) => (document?.(d) ?? true) && (task?.(t) ?? true) && (model?.(m) ?? true);
}

function tooManyJobs(maxJobs: number): UserError {
  return new UserError({
    code: 'E27',
    exitCode: 2,
    message: `the manifest gives more than maxJobs = ${maxJobs} jobs`,
    next: ['narrow "documents", "tasks.*.documents" or "matrix", or raise "maxJobs" in the manifest'],
  });
}

function identityOf(manifest: ResolvedManifest, jobs: readonly NewJob[]): string {
  const judgedBy = new Map(Object.values(manifest.tasks).map((task) => [task.id, judgedByOf(task)]));
  return runIdentity(
    jobs.map(({ jobId, steps, failure, task }) => ({
      jobId,
      keys: steps.map(({ key }) => key),
      error: failure?.reason ?? null,
      judgedBy: judgedBy.get(task) ?? '',
    })),
  );
}
