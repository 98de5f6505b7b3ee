import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { Piscina } from 'piscina';
import type { AnswerForm, ParsedAnswer } from '../checks/parse-answer.ts';
import type { ExtractInput } from '../documents/extract-input.ts';
import type { TokenCount } from '../documents/tokens.ts';
import type { Json } from '../domain/canonical-json.ts';
import type { FinishReason } from '../domain/completion.ts';
import type { CanonicalText, Extraction } from '../domain/document.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';

/** What a file's bytes gave. Its tokens are counted where its text already is. */
export type ExtractedDocument = { readonly extraction: Extraction; readonly tokens: TokenCount };

export type ParseTask = { readonly content: string; readonly form: AnswerForm; readonly finishReason: FinishReason };

export type JudgeTask = { readonly answer: Json; readonly document: CanonicalText; readonly checks: readonly CheckSpec[] };

/** The work took too long and its thread was ended: a bomb of a file, or a pattern that backtracks for ever. */
export class PoolTimeout extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`gave up after ${limitMs / 1000} s`);
    this.name = 'PoolTimeout';
    this.limitMs = limitMs;
  }
}

/**
 * Threads for what the main loop must not do itself: parsing documents, counting their tokens, validating against the user's schemas, running the user's
 * patterns. Each task has a time limit; at its end the thread dies, not the run.
 */
export interface Pool {
  readonly size: number;
  extract(task: ExtractInput): Promise<ExtractedDocument>;
  parse(task: ParseTask): Promise<ParsedAnswer>;
  judge(task: JudgeTask): Promise<Score[]>;
  close(): Promise<void>;
}

const LIMIT_MS = { extract: 120_000, parse: 20_000, judge: 60_000 } as const;
const IDLE_MS = 30_000;
const HEAP_MIB = 1024;

/** `workerFile` is the built pool-worker.js: threads cannot run TypeScript. */
export function createPool(workerFile: URL, limitsMs: Readonly<Record<keyof typeof LIMIT_MS, number>> = LIMIT_MS): Pool {
  const size = Math.max(1, availableParallelism());
  const threads = new Piscina({
    filename: fileURLToPath(workerFile),
    minThreads: 0,
    maxThreads: size,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  // One task a thread, so that a task's clock starts when its work does, not while it waits behind a slow one.
  const free = new PQueue({ concurrency: size });
  return {
    size,
    extract: (task) => free.add(() => limited(threads, 'extract', task, limitsMs.extract)),
    parse: (task) => free.add(() => limited(threads, 'parse', task, limitsMs.parse)),
    judge: (task) => free.add(() => limited(threads, 'judge', task, limitsMs.judge)),
    close: () => threads.destroy(),
  };
}

async function limited<Result>(threads: Piscina, name: string, task: unknown, limitMs: number): Promise<Result> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limitMs);
  try {
    return await threads.run(task, { name, signal: abort.signal });
  } catch (error) {
    throw abort.signal.aborted ? new PoolTimeout(limitMs) : error;
  } finally {
    clearTimeout(timer);
  }
}
