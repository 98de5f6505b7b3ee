import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import { UserError } from '../domain/errors.ts';
import { jobIdOf } from '../domain/job.ts';
import { type KeyRecord, keyOfRecord, keyRecord, ofRepeat } from '../domain/key.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { runIdentity } from '../domain/run.ts';
import type { Selection } from '../domain/selection.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import { createCutter } from './cut-document.ts';
import { type ExpandedJob, expandJobs } from './expand.ts';
import { judgedByOf } from './judged-by.ts';
import { type AskedQuestion, PartNotes } from './part-notes.ts';
import { planQuestion, type Question, type QuestionPrompt } from './plan-question.ts';
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
 * Plans the jobs of a manifest that `selection` (`null`: all) names. A job whose document has no usable text, or whose prompts cannot
 * fit its model or its provider's minute, is planned as failed: counted and never asked. `documents` are at least those of its jobs.
 */
export function planJobs(
  manifest: ResolvedManifest,
  documents: readonly ReadDocument[],
  routes: ReadonlyMap<string, Route>,
  selection: Selection | null = null,
): Plan {
  const { selected, selectedJobs } = expandJobs(manifest, documents, selection, manifest.maxJobs);
  if (selectedJobs > manifest.maxJobs) throw tooManyJobs({ most: manifest.maxJobs, jobs: selectedJobs });
  const parts = new PartNotes();
  const ask = asker(manifest, (job, question) => parts.note(job, question));
  const steps = stepsOf(manifest, routes);
  const jobs = selected.map((job, seq) => {
    const question = ask(job);
    return planJob({ ...job, seq, question, steps: steps(job, question) });
  });
  return { jobs, identity: identityOf(manifest, jobs), warnings: parts.warnings() };
}

/** What is asked of one job after the other; of those that follow each other with one document, task and model it is made once. */
function asker(
  manifest: ResolvedManifest,
  onAsked: (job: ExpandedJob<ReadDocument>, question: AskedQuestion) => void,
): (job: ExpandedJob<ReadDocument>) => Question {
  let about: { readonly document: ReadDocument; readonly ask: ReturnType<typeof questionsOf> } | null = null;
  let last: { readonly job: ExpandedJob<ReadDocument>; readonly question: Question } | null = null;
  return (job) => {
    const { document, task, model } = job;
    if (about?.document !== document) about = { document, ask: questionsOf(manifest, document) };
    if (last === null || last.job.document !== document || last.job.task !== task || last.job.model !== model) {
      last = { job, question: about.ask(task, model) };
      if (last.question.kind === 'asked') onAsked(job, last.question);
    }
    return last.question;
  };
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

type JobInput = ExpandedJob<ReadDocument> & { readonly seq: number; readonly question: Question; readonly steps: readonly NewStep[] };

function planJob({ document, task, model, repeat, seq, question, steps }: JobInput): NewJob {
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
    later: isAsked ? question.later : NO_CALLS,
    steps,
  };
}

const NO_CALLS: readonly never[] = [];

/** A step but for its repeat: what is long in it is made, and kept, once for all repeats of a question. */
type StepForm = Omit<NewStep, 'key' | 'keyRecord'> & { readonly record: KeyRecord };

/** The calls of one job after the other. */
function stepsOf(manifest: ResolvedManifest, routes: ReadonlyMap<string, Route>) {
  let last: { readonly question: Question; readonly forms: readonly StepForm[] } | null = null;
  return (job: ExpandedJob<ReadDocument>, question: Question): readonly NewStep[] => {
    if (question.kind !== 'asked') return NO_CALLS;
    if (last?.question !== question) {
      const form = { ...job, manifest, route: routeOf(routes, job.model) };
      last = { question, forms: question.prompts.map((prompt) => stepForm(form, prompt)) };
    }
    return last.forms.map(({ record, ...form }) => {
      const own = ofRepeat(record, job.repeat);
      return { ...form, key: keyOfRecord(own), keyRecord: own };
    });
  };
}

type FormInput = Pick<ExpandedJob<ReadDocument>, 'task' | 'model'> & { readonly manifest: ResolvedManifest; readonly route: Route };

function stepForm({ manifest, task, model, route }: FormInput, { planned, part }: QuestionPrompt): StepForm {
  const { system, prompt, inputTokens, maxInputTokens } = planned;
  return {
    kind: part === null ? 'answer' : 'chunk',
    index: part?.index ?? 0,
    record: keyRecord({
      endpoint: route.endpoint,
      model: model.model,
      params: model.params,
      structuredOutput: model.structuredOutput,
      output: task.output,
      system,
      prompt,
      repeat: 0,
      namespace: manifest.cache.namespace,
    }),
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

function routeOf(routes: ReadonlyMap<string, Route>, model: ResolvedModel): Route {
  const route = routes.get(model.id);
  if (route === undefined) throw new Error(`no route for model ${model.id}`);
  return route;
}

/** The refusal of more jobs than `most`. `said`: who stated that, `null` when nobody did; `isPart`: the jobs are those of a selection. */
export function tooManyJobs(
  { most, jobs }: { readonly most: number; readonly jobs: number },
  { said = null, isPart = false }: { readonly said?: string | null; readonly isPart?: boolean } = {},
): UserError {
  const limit = said?.startsWith('--') === true ? `${said} ${most}` : `maxJobs = ${most} (${said ?? 'the default'})`;
  const narrow = isPart ? 'select fewer' : 'narrow "documents", "tasks.*.documents" or "matrix" in the manifest, select some';
  return new UserError({
    code: 'E27',
    exitCode: 2,
    message: `the ${isPart ? 'selection' : 'manifest'} gives ${jobs} jobs, more than ${limit}`,
    next: [`${narrow} (--first ${most}), or allow as many (--max-jobs ${jobs})`],
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
