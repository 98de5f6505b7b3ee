import { z } from 'zod';
import type { Json } from '../domain/canonical-json.ts';
import { REASONS } from '../domain/reason.ts';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import type { EvidenceMark } from '../domain/score.ts';

const version = z.literal(1);
const error = z.object({ reason: z.enum(REASONS), message: z.string() }).nullable();
const count = z.int().nonnegative();
const bound = z.object({ limit: z.number(), used: z.number() }).nullable();
const speed = z.object({ firstTokenMs: z.number().nullable(), tokensPerSecond: z.number().nullable() });
const stop = z.object({
  why: z.string(),
  lane: z.string().nullable(),
  count,
  until: z.iso.datetime().nullable(),
  message: z.string().nullable(),
  tags: z.array(z.string()).optional(),
});

/** Line 1 of `results.jsonl`. Fields of later versions are let through and left out. */
export const runHeaderSchema: z.ZodType<RunHeader> = z.object({
  v: version,
  kind: z.literal('run'),
  run: z.object({
    id: z.string(),
    name: z.string(),
    state: z.enum(['planning', 'open', 'paused', 'finished', 'cancelled']),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  }),
  version: z.string(),
  manifest: z.string(),
  gate: z.object({ minPassRate: z.number(), maxErrorRate: z.number() }),
  privacy: z.enum(['quote', 'none']).optional(),
  tasks: z.record(z.string(), z.object({ repeats: count, aggregate: z.enum(['majority', 'all', 'any']) })),
  models: z.record(z.string(), z.object({ provider: z.enum(['openai', 'replay', 'simulated']), model: z.string() })),
  documents: z.array(
    z.object({
      id: z.string(),
      bytesSha256: z.string().nullable(),
      textSha256: z.string().nullable(),
      pages: count.nullable(),
      characters: count.nullable(),
      warnings: z.array(z.string()),
      error,
    }),
  ),
  jobs: count,
  selection: z.object({ options: z.string(), jobs: count, of: count.nullable() }).optional(),
  speeds: z.record(z.string(), speed).optional(),
  budget: z.object({ usd: bound, tokens: bound }).optional(),
  stoppedBy: z.array(stop).optional(),
});

const position = z.object({
  page: count.nullable(),
  pageLabel: z.string().nullable(),
  section: z.string().nullable(),
  line: count,
  start: count,
  end: count,
});

const evidence = z.object({
  status: z.enum(['verified', 'elided', 'near', 'rejected']),
  tier: z.enum(['verbatim', 'normalised', 'punct', 'case', 'ligature']).nullable(),
  reason: z
    .enum(['altered', 'clipped', 'cut', 'reworded', 'stitched', 'from_prompt', 'from_other_document', 'not_found', 'too_short'])
    .nullable(),
  diff: z.string().nullable(),
  occurrences: count,
  position: position.nullable(),
  text: z.string().nullable(),
  seen: z.boolean().optional(),
  // What later versions add to them must not make a file unreadable.
  marks: z.array(z.string()).transform(knownMarks).optional(),
  spans: z.array(z.object({ start: count, end: count })).optional(),
  context: z.string().optional(),
  source: z.string().optional(),
});

const mark = z.enum(['boundary', 'negated_lead_in', 'editor_brackets']);

function knownMarks(words: readonly string[]): readonly EvidenceMark[] {
  return words.flatMap((word) => mark.safeParse(word).data ?? []);
}

const finding = z.object({
  at: z.string(),
  quote: z.string(),
  evidence,
  pageClaimed: z.number().nullable(),
  pageCorrected: z.boolean(),
  lineClaimed: z.number().nullable().optional(),
  lineCorrected: z.boolean().optional(),
  beside: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const seenOf = z.object({ seen: count, of: count });

const absence = z.object({ at: z.string(), searched: z.array(z.string()), sections: seenOf, whole: z.boolean() });

const score = z.object({
  check: z.string(),
  type: z.string(),
  severity: z.enum(['must', 'warn']),
  verdict: z.enum(['pass', 'fail', 'review']),
  // The line came out of JSON.parse, so whatever stands here is JSON.
  value: z.custom<Json>((value) => value !== undefined),
  explanation: z.string(),
  findings: z.array(finding),
  absences: z.array(absence).optional(),
});

const coverage = z.object({
  textSha256: z.string(),
  extractor: z.string(),
  characters: count,
  of: count,
  parts: count,
  sections: seenOf.extend({ missed: z.array(z.string()) }),
  pages: seenOf.extend({ missed: z.array(count) }).nullable(),
  lostPages: z.array(z.object({ number: count, label: z.string().nullable(), why: z.string() })),
});

/** Every further line of `results.jsonl`. */
export const resultLineSchema: z.ZodType<ResultLine> = z.object({
  v: version,
  jobId: z.string(),
  document: z.string(),
  task: z.string(),
  model: z.string(),
  repeat: count,
  state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
  verdict: z.enum(['pass', 'fail', 'review', 'error']).nullable(),
  scores: z.array(score),
  usage: z.object({ uncachedInput: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count }),
  costUsd: z.number().nullable(),
  calls: count,
  attempts: count,
  retries: count,
  cached: z.boolean(),
  repaired: z.boolean(),
  reasked: z.boolean(),
  latencyMs: z.number().nullable(),
  coverage: coverage.optional(),
  origin: z.object({ runId: z.string(), jobId: z.string(), costUsd: z.number().nullable(), latencyMs: z.number() }).nullable(),
  error,
  artifacts: z.string().nullable(),
});
