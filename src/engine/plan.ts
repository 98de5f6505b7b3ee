import picomatch from 'picomatch';
import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import { UserError } from '../domain/errors.ts';
import { jobIdOf } from '../domain/job.ts';
import { answerKey, type KeyParts, keyRecord } from '../domain/key.ts';
import type { MatrixRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { ASSUMED_OUTPUT_TOKENS } from '../domain/money.ts';
import type { JobError } from '../domain/result.ts';
import { runIdentity } from '../domain/run.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import { formTokens, type PlannedPrompt, planPrompt } from './planned-prompt.ts';
import type { ReadDocument } from './read-documents.ts';
import type { Route } from './routes.ts';

/** What `plan` shows and `run` enqueues. Jobs in plan order: document, task, model, repeat. */
export type Plan = { readonly jobs: readonly NewJob[]; readonly identity: string };

const PREFIX_CHARACTERS = 32;

/**
 * Expands documents × tasks × models × repeats, minus `matrix.exclude`, then only `matrix.only`. A job whose document has no
 * usable text, or whose prompt cannot fit its model or its provider's minute, is planned as failed: counted and never asked.
 */
export function planJobs(manifest: ResolvedManifest, documents: readonly ReadDocument[], routes: ReadonlyMap<string, Route>): Plan {
  const jobs: NewJob[] = [];
  const selected = matrixFilter(manifest.matrix);
  for (const document of documents) {
    for (const task of Object.values(manifest.tasks).filter((each) => takesDocument(each, document))) {
      const prompt = planned(task, document);
      for (const model of modelsOf(manifest, task)) {
        if (!selected(document.documentId, task.id, model.id)) continue;
        for (let repeat = 0; repeat < task.repeats; repeat += 1) {
          if (jobs.length >= manifest.maxJobs) throw tooManyJobs(manifest.maxJobs);
          jobs.push(planJob({ manifest, document, task, model, repeat, seq: jobs.length, route: routeOf(routes, model), prompt }));
        }
      }
    }
  }
  return { jobs, identity: identityOf(manifest, jobs) };
}

function planned(task: ResolvedTask, { documentId, extraction, tokens }: ReadDocument): PlannedPrompt | null {
  return extraction.ok ? planPrompt(task, { documentId, content: extraction.content, tokens }) : null;
}

type JobInput = {
  readonly manifest: ResolvedManifest;
  readonly document: ReadDocument;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeat: number;
  readonly seq: number;
  readonly route: Route;
  readonly prompt: PlannedPrompt | null;
};

function planJob(input: JobInput): NewJob {
  const { document, task, model, repeat, seq, prompt } = input;
  const { documentId, bytesSha256, extraction } = document;
  const failure = prompt === null ? documentError(document) : lengthError(input, inputTokensOf(input, prompt));
  return {
    jobId: jobIdOf({ documentId, bytesSha256, task: task.id, model: model.id, params: model.params, repeat }),
    seq,
    documentId,
    textSha256: extraction.ok ? extraction.content.textSha256 : null,
    task: task.id,
    model: model.id,
    repeat,
    priority: task.priority,
    failure,
    steps: prompt === null || failure !== null ? [] : [answerStep(input, prompt)],
  };
}

function answerStep(input: JobInput, planned: PlannedPrompt): NewStep {
  const { manifest, task, model, repeat, route } = input;
  const { system, prompt, maxInputTokens } = planned;
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
    kind: 'answer',
    index: 0,
    key: answerKey(parts),
    keyRecord: keyRecord(parts),
    laneId: route.laneId,
    inputTokens: inputTokensOf(input, planned),
    maxInputTokens,
    prefix: prefixOf(model, planned),
  };
}

function inputTokensOf({ task, model }: JobInput, prompt: PlannedPrompt): number {
  return prompt.inputTokens + formTokens(task, model.structuredOutput);
}

/** What caches go by: the model, the system message, and how the prompt begins. */
function prefixOf({ model }: ResolvedModel, { system, beginningSha256 }: PlannedPrompt): string | null {
  if (beginningSha256 === null) return null;
  return sha256Hex(canonicalJson([model, system, beginningSha256])).slice(0, PREFIX_CHARACTERS);
}

function documentError(document: ReadDocument): JobError | null {
  const { extraction } = document;
  return extraction.ok ? null : { reason: extraction.reason, message: extraction.message };
}

/** What is longer than the model's context, or than all that its provider takes in a minute, can never be answered. */
function lengthError({ manifest, model }: JobInput, inputTokens: number): JobError | null {
  const needed = inputTokens + (model.params.maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS);
  if (model.contextTokens !== null && needed > model.contextTokens) {
    return tooLong(`about ${needed} tokens with the answer, more than contextTokens = ${model.contextTokens} of model "${model.id}"`);
  }
  const provider = manifest.providers[model.provider];
  if (provider === undefined || provider.tokensPerMinute === null) return null;
  const counted = provider.tokenAccounting === 'reserved' ? needed : inputTokens;
  if (counted <= provider.tokensPerMinute) return null;
  const what = counted === needed ? 'tokens with the answer' : 'tokens';
  return tooLong(`about ${counted} ${what}, more than tokensPerMinute = ${provider.tokensPerMinute} of provider "${provider.id}"`);
}

function tooLong(message: string): JobError {
  return { reason: 'input_too_long', message };
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
  const judgedBy = new Map(
    Object.values(manifest.tasks).map((task) => [task.id, sha256Hex(canonicalJson({ checks: task.checks, aggregate: task.aggregate }))]),
  );
  return runIdentity(
    jobs.map(({ jobId, steps, failure, task }) => ({
      jobId,
      keys: steps.map(({ key }) => key),
      error: failure?.reason ?? null,
      judgedBy: judgedBy.get(task) ?? '',
    })),
  );
}
