import picomatch from 'picomatch';
import { estimateTokens } from '../documents/tokens.ts';
import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import { UserError } from '../domain/errors.ts';
import { jobIdOf } from '../domain/job.ts';
import { answerKey, type KeyParts, keyRecord } from '../domain/key.ts';
import type { MatrixRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { JobError } from '../domain/result.ts';
import { runIdentity } from '../domain/run.ts';
import type { NewJob, NewStep } from '../store/plan-rows.ts';
import { renderPrompt } from './prompt.ts';
import type { ReadDocument } from './read-documents.ts';

/** What `plan` shows and `run` enqueues. Jobs in plan order: document, task, model, repeat. */
export type Plan = { readonly jobs: readonly NewJob[]; readonly identity: string };

/** Where a provider's calls go: the key's endpoint and the lane they draw on. */
export type Route = { readonly endpoint: string; readonly laneId: string };

/** Assumed for a model that states no `maxOutputTokens`, when its context is checked. */
const DEFAULT_OUTPUT_TOKENS = 1024;

/**
 * Expands documents × tasks × models × repeats, minus `matrix.exclude`, then only `matrix.only`. A job whose document has no
 * usable text, or whose prompt cannot fit its model, is planned as failed, so that it is counted and never asked.
 */
export function planJobs(manifest: ResolvedManifest, documents: readonly ReadDocument[], routes: ReadonlyMap<string, Route>): Plan {
  const jobs: NewJob[] = [];
  const selected = matrixFilter(manifest.matrix);
  for (const document of documents) {
    for (const task of Object.values(manifest.tasks).filter((each) => takesDocument(each, document))) {
      const rendered = document.extraction.ok ? renderOnce(task, document.documentId, document.extraction.content) : null;
      for (const model of modelsOf(manifest, task)) {
        if (!selected(document.documentId, task.id, model.id)) continue;
        for (let repeat = 0; repeat < task.repeats; repeat += 1) {
          if (jobs.length >= manifest.maxJobs) throw tooManyJobs(manifest.maxJobs);
          jobs.push(planJob({ manifest, document, task, model, repeat, seq: jobs.length, route: routeOf(routes, model), rendered }));
        }
      }
    }
  }
  return { jobs, identity: identityOf(manifest, jobs) };
}

type Rendered = { readonly system: string | null; readonly prompt: string; readonly inputTokens: number };

function renderOnce(task: ResolvedTask, documentId: string, content: CanonicalText): Rendered {
  const { system, prompt } = renderPrompt(task, { documentId, content });
  return { system, prompt, inputTokens: estimateTokens(prompt) + (system === null ? 0 : estimateTokens(system)) };
}

type JobInput = {
  readonly manifest: ResolvedManifest;
  readonly document: ReadDocument;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeat: number;
  readonly seq: number;
  readonly route: Route;
  readonly rendered: Rendered | null;
};

function planJob(input: JobInput): NewJob {
  const { document, task, model, repeat, seq, rendered } = input;
  const { documentId, bytesSha256, extraction } = document;
  const failure = rendered === null ? documentError(document) : contextError(model, rendered.inputTokens);
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
    steps: rendered === null || failure !== null ? [] : [answerStep(input, rendered)],
  };
}

function answerStep({ manifest, task, model, repeat, route }: JobInput, rendered: Rendered): NewStep {
  const parts: KeyParts = {
    endpoint: route.endpoint,
    model: model.model,
    params: model.params,
    structuredOutput: model.structuredOutput,
    output: task.output,
    system: rendered.system,
    prompt: rendered.prompt,
    repeat,
    namespace: manifest.cache.namespace,
  };
  return {
    kind: 'answer',
    index: 0,
    key: answerKey(parts),
    keyRecord: keyRecord(parts),
    laneId: route.laneId,
    inputTokens: rendered.inputTokens,
  };
}

function documentError(document: ReadDocument): JobError | null {
  const { extraction } = document;
  return extraction.ok ? null : { reason: extraction.reason, message: extraction.message };
}

function contextError(model: ResolvedModel, inputTokens: number): JobError | null {
  if (model.contextTokens === null) return null;
  const needed = inputTokens + (model.params.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS);
  if (needed <= model.contextTokens) return null;
  const message = `about ${needed} tokens with the answer; model "${model.id}" takes ${model.contextTokens}`;
  return { reason: 'input_too_long', message };
}

function modelsOf(manifest: ResolvedManifest, task: ResolvedTask): ResolvedModel[] {
  return Object.values(manifest.models).filter((model) => task.models === null || task.models.includes(model.id));
}

function routeOf(routes: ReadonlyMap<string, Route>, model: ResolvedModel): Route {
  const route = routes.get(model.provider);
  if (route === undefined) throw new Error(`no route for provider ${model.provider}`);
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
