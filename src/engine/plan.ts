import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import { UserError } from '../domain/errors.ts';
import { jobIds } from '../domain/job.ts';
import { repeatKeys } from '../domain/key.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { RunIdentity } from '../domain/run.ts';
import type { Selection } from '../domain/selection.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import { createCutter } from './cut-document.ts';
import { countJobs, type ExpandedQuestion, expandQuestions } from './expand.ts';
import { inTurns } from './in-turns.ts';
import { judgedByOf } from './judged-by.ts';
import { PartNotes } from './part-notes.ts';
import { planQuestion, type Question, type QuestionPrompt } from './plan-question.ts';
import { formTokens, type PlannedPrompt, planPrompt } from './planned-prompt.ts';
import type { ReadDocument } from './read-documents.ts';
import type { Route } from './routes.ts';

/** What `plan` shows and `run` enqueues. */
export type Plan = {
  /** In plan order: document, task, model, repeat. Made anew each time that they are gone through: a million of them would take gigabytes. */
  readonly jobs: Iterable<NewJob>;
  readonly counts: PlanCounts;
  readonly identity: string;
  /** What of the manifest could not be done as it is stated. */
  readonly warnings: readonly string[];
};

type PlanCounts = {
  readonly jobs: number;
  /** Jobs that did not fail before they could be asked. */
  readonly askable: number;
  /** Questions: their repeats give one result. */
  readonly results: number;
};

const PREFIX_CHARACTERS = 32;

type PlanInput = {
  readonly manifest: ResolvedManifest;
  readonly documents: readonly ReadDocument[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly selection: Selection | null;
};

/**
 * Plans the jobs of a manifest that `selection` (`null`: all) names. A job whose document has no usable text, or whose prompts cannot
 * fit its model or its provider's minute, is planned as failed: counted and never asked. `documents` are at least those of its jobs.
 */
export async function planJobs(
  manifest: ResolvedManifest,
  documents: readonly ReadDocument[],
  routes: ReadonlyMap<string, Route>,
  selection: Selection | null = null,
): Promise<Plan> {
  const { selectedJobs } = countJobs(manifest, documents, selection);
  if (selectedJobs > manifest.maxJobs) throw tooManyJobs({ most: manifest.maxJobs, jobs: selectedJobs });
  const input = { manifest, documents, routes, selection };
  return { jobs: { [Symbol.iterator]: () => jobsOf(input, () => undefined) }, ...(await lookOver(input)) };
}

/** Jobs that are looked at together. */
const CHUNK = 100;

/** What must be known of all jobs before the first is enqueued. */
async function lookOver(input: PlanInput): Promise<Omit<Plan, 'jobs'>> {
  const parts = new PartNotes();
  const identity = new RunIdentity();
  const judgedBy = new Map(Object.values(input.manifest.tasks).map((task) => [task.id, judgedByOf(task)]));
  let [jobs, askable, results] = [0, 0, 0];
  const onQuestion = (expanded: ExpandedQuestion<ReadDocument>, question: Question): void => {
    results += 1;
    if (question.kind === 'asked') parts.note(expanded, question);
  };
  for await (const chunk of inTurns(jobsOf(input, onQuestion), CHUNK)) {
    for (const { jobId, steps, failure, task } of chunk) {
      identity.add({ jobId, keys: steps.map(({ key }) => key), error: failure?.reason ?? null, judgedBy: judgedBy.get(task) ?? '' });
      jobs += 1;
      if (failure === null) askable += 1;
    }
  }
  return { counts: { jobs, askable, results }, identity: identity.digest(), warnings: parts.warnings() };
}

/** One job after the other. What is long in a question is made, and kept, once for all of its repeats. */
function* jobsOf(
  { manifest, documents, routes, selection }: PlanInput,
  onQuestion: (expanded: ExpandedQuestion<ReadDocument>, question: Question) => void,
): Generator<NewJob> {
  const ask = asker(manifest);
  let seq = 0;
  for (const expanded of expandQuestions(manifest, documents, selection)) {
    const question = ask(expanded);
    onQuestion(expanded, question);
    const jobOf = jobsOfQuestion(expanded, question, { manifest, route: routeOf(routes, expanded.model) });
    for (let repeat = 0; repeat < expanded.repeats; repeat += 1, seq += 1) yield jobOf(repeat, seq);
  }
}

/** What is asked in one question after the other; those about one document follow each other. */
function asker(manifest: ResolvedManifest): (expanded: ExpandedQuestion<ReadDocument>) => Question {
  let about: { readonly document: ReadDocument; readonly ask: ReturnType<typeof questionsOf> } | null = null;
  return ({ document, task, model }) => {
    if (about?.document !== document) about = { document, ask: questionsOf(manifest, document) };
    return about.ask(task, model);
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

type Asking = { readonly manifest: ResolvedManifest; readonly route: Route };

function jobsOfQuestion(
  { document, task, model }: ExpandedQuestion<ReadDocument>,
  question: Question,
  asking: Asking,
): (repeat: number, seq: number) => NewJob {
  const { documentId, bytesSha256, extraction } = document;
  const isAsked = question.kind === 'asked';
  const idOf = jobIds({ documentId, bytesSha256, task: task.id, model: model.id, params: model.params });
  const steps = isAsked ? question.prompts.map((prompt) => repeatedStep({ task, model, ...asking }, prompt)) : NONE;
  const textSha256 = extraction.ok ? extraction.content.textSha256 : null;
  return (repeat, seq) => ({
    jobId: idOf(repeat),
    seq,
    documentId,
    textSha256,
    task: task.id,
    model: model.id,
    repeat,
    priority: task.priority,
    failure: isAsked ? null : question.failure,
    later: isAsked ? question.later : NONE,
    steps: steps.map((stepOf) => stepOf(repeat)),
  });
}

const NONE: readonly never[] = [];

type StepInput = Asking & { readonly task: ResolvedTask; readonly model: ResolvedModel };

/** The step of each repeat of a prompt. */
function repeatedStep({ manifest, task, model, route }: StepInput, { planned, part }: QuestionPrompt): (repeat: number) => NewStep {
  const { system, prompt, inputTokens, maxInputTokens } = planned;
  const keysOf = repeatKeys({
    endpoint: route.endpoint,
    model: model.model,
    params: model.params,
    structuredOutput: model.structuredOutput,
    output: task.output,
    system,
    prompt,
    repeat: 0,
    namespace: manifest.cache.namespace,
  });
  const [tokens, prefix] = [inputTokens + formTokens(task, model.structuredOutput), prefixOf(model, planned)];
  const input = part === null ? null : { kind: 'part' as const, part };
  // Field by field, as jobs are: spreading what is alike took half of the time of a plan of a million.
  return (repeat) => {
    const { key, keyRecord } = keysOf(repeat);
    return {
      kind: part === null ? 'answer' : 'chunk',
      index: part?.index ?? 0,
      key,
      keyRecord,
      laneId: route.laneId,
      inputTokens: tokens,
      maxInputTokens,
      prefix,
      input,
    };
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
