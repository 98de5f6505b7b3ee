import { z } from 'zod';
import { LONGEST_MAX_WAIT_MS } from '../retry.ts';
import { choice, dictionary, id, integer, list, number, object, positive, text, textLike, withRule } from './fields.ts';
import type { JsonObject } from './raw.ts';
import { budgetSchema } from './schema-budget.ts';
import { documentsSchema } from './schema-documents.ts';
import { modelsSchema } from './schema-models.ts';
import { providersSchema } from './schema-providers.ts';
import { tasksSchema } from './schema-tasks.ts';

const DAY_MS = 86_400_000;

const matrixRule = withRule(
  object({
    document: text('a glob').optional().describe('Glob of document names.'),
    task: text('a glob').optional().describe('Glob of task names.'),
    model: text('a glob').optional().describe('Glob of model names.'),
  }),
  ({ document, task, model }, report) => {
    if ([document, task, model].every((glob) => glob === undefined)) report([], 'needs "document", "task" or "model"');
  },
);

const matrix = object({
  exclude: list(matrixRule, 'rules').default([]).describe('Combinations that are left out.'),
  only: list(matrixRule, 'rules').default([]).describe('If any: no other combinations are asked.'),
})
  .prefault({})
  .describe('Which combinations of document, task and model are asked; default all.');

const retry = object({
  attempts: integer(1, 20).default(3).describe('Tries of a call that fails for a passing reason, the first one included.'),
  lostLeases: integer(1, 20).default(3).describe('How many workers may die at a step before it is given up.'),
  maxWaitMs: integer(1000, LONGEST_MAX_WAIT_MS)
    .default(120_000)
    .describe('Longest wait for a provider that asks for patience; beyond it the run ends, and says when to go on.'),
})
  .prefault({})
  .describe('When to give up.');

const sample = object({
  fraction: positive(1).describe('Share of the documents; at least one is taken.'),
  seed: integer(0, Number.MAX_SAFE_INTEGER).default(0).describe('Another seed takes other documents.'),
})
  .optional()
  .describe('Only a part of the documents, the same on every machine; default all.');

const failFast = object({
  afterFailures: integer(1, 10_000_000).describe('Jobs that may end without a result.'),
})
  .optional()
  .describe('Stops asking after so many failed jobs; default never.');

const lease = withRule(
  object({
    ttlMs: integer(100, DAY_MS).default(60_000).describe('How long a claim holds without a sign of life.'),
    beatMs: integer(10, DAY_MS).default(15_000).describe('How often a worker gives one; at most half of ttlMs.'),
    deadlineMs: integer(100, DAY_MS).default(1_800_000).describe('Longest time for one step.'),
  }),
  ({ ttlMs, beatMs }, report) => {
    if (typeof ttlMs !== 'number' || typeof beatMs !== 'number' || beatMs * 2 <= ttlMs) return;
    report(['beatMs'], `must be at most half of ttlMs (${ttlMs})`);
  },
)
  .prefault({})
  .describe('Claims of work, in milliseconds.');

const cache = object({
  mode: choice(['read-write', 'read', 'refresh', 'off'])
    .default('read-write')
    .describe('Whether answers of other runs are used ("read") and kept for them ("write"); "refresh" asks anew and keeps.'),
  ttlDays: number(0, 36_500).optional().describe('Older answers are not used.'),
  namespace: text('a name').optional().describe('Answers are shared only within one namespace.'),
})
  .prefault({})
  .describe('Reuse of answers between runs.');

const gate = object({
  minPassRate: number(0, 1).default(1).describe('Least pass / (pass + fail).'),
  maxErrorRate: number(0, 1).default(0).describe('Greatest errors / results.'),
})
  .prefault({})
  .describe('When a run passes.');

/** What a profile cannot change. */
export const OUTSIDE_PROFILES: readonly string[] = ['$schema', 'version', 'extends', 'profiles'];

/** Judged on the manifest that it makes, not by itself. */
const profile = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object: a part of a manifest',
  })
  .meta({ type: 'object' });

/** The paths of the files that a manifest begins with. */
export const extendsSchema = list(text('a path'), 'paths')
  .optional()
  .describe('Files with what this one begins with, relative to it; the later goes over the earlier, this one over all.');

/** The manifest, version 1: the one source of its types, its messages and the published JSON Schema. */
export const manifestSchema = object({
  $schema: text('a URL or path').optional().describe('For editors only.'),
  version: z.literal(1, { error: 'must be 1' }).describe('Version of the manifest format.'),
  name: textLike(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/, 'a name of letters, digits, ".", "_" and "-"')
    .optional()
    .describe('Name of the runs; default the name of the folder.'),
  extends: extendsSchema,
  documents: documentsSchema.describe('What is evaluated: globs, or objects with more to say. Relative to the file that names them.'),
  providers: providersSchema,
  models: modelsSchema,
  tasks: tasksSchema,
  matrix,
  concurrency: integer(1, 1000).default(8).describe('Calls at once in one process.'),
  runConcurrency: integer(1, 100_000).optional().describe('Calls at once in all processes of the run; default no such limit.'),
  retry,
  lease,
  cache,
  gate,
  budget: budgetSchema,
  sample,
  failFast,
  artifacts: choice(['all', 'paid', 'failures']).default('all').describe('Which jobs get a folder of their own.'),
  outputs: list(choice(['junit', 'csv', 'sarif', 'html', 'badge']), 'kinds of files')
    .default([])
    .describe('Files that are written beside summary.md and results.jsonl when a run ends.'),
  privacy: object({
    evidence: choice(['quote', 'none'])
      .default('quote')
      .describe(
        '"none": no word of a document or a model stands in summary, report, exports and annotations, nor in logs that go anywhere but to a terminal.',
      ),
  })
    .prefault({})
    .describe('What may be shown to whoever reads the reports.'),
  maxJobs: integer(1, 10_000_000).default(10_000).describe('A manifest that gives more jobs is refused.'),
  maxQueueDepth: integer(1, 1_000_000_000)
    .optional()
    .describe(
      'A new run is refused, and so is a retry, if with its jobs more would wait or run in the store, over all runs. Default: any number.',
    ),
  profiles: dictionary(id(), profile, 'profile name → part of a manifest')
    .optional()
    .describe('Parts of a manifest, one of which --profile puts over the whole. May hold all but $schema, version, extends, profiles.'),
});

/** A valid manifest with defaults filled in; the files that it names are not read yet. */
export type ManifestInput = z.output<typeof manifestSchema>;
