import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { Piscina } from 'piscina';
import type { FinalAnswer, FinalInput } from '../checks/final-answer.ts';
import type { JudgeInput } from '../checks/judge-input.ts';
import type { MergedAnswer } from '../checks/merge-answers.ts';
import type { MergeInput } from '../checks/merge-input.ts';
import type { AnswerForm, ParsedAnswer } from '../checks/parse-answer.ts';
import type { SeekInput } from '../checks/seek-quotes.ts';
import type { ExtractInput } from '../documents/extract-input.ts';
import type { FinishReason } from '../domain/completion.ts';
import type { MergeRule } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';
import { extractInThreads } from './extract-in-threads.ts';
import type { ExtractedDocument } from './extracted-document.ts';

export type ParseTask = { readonly content: string; readonly form: AnswerForm; readonly finishReason: FinishReason };

/** The answers of all parts; `reduced` as in `FinalInput`. */
export type MergeTask = MergeInput & { readonly rule: MergeRule } & Pick<FinalInput, 'reduced' | 'schema'>;

/** `final`: `null` where the task's `reduce` is still to be asked. */
export type Merged = { readonly merged: MergedAnswer; readonly final: FinalAnswer | null };

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
  merge(task: MergeTask): Promise<Merged>;
  judge(task: JudgeInput): Promise<Score[]>;
  /** Those of the quotes that a document has. */
  seek(task: SeekInput): Promise<readonly string[]>;
  close(): Promise<void>;
}

const LIMIT_MS = { extract: 120_000, parse: 20_000, merge: 60_000, judge: 60_000, seek: 20_000 } as const;
const IDLE_MS = 30_000;
const HEAP_MIB = 1024;

/** `workerFile` is the built pool-worker.js: threads cannot run TypeScript. */
export function createPool(workerFile: URL, limitsMs: Partial<Record<keyof typeof LIMIT_MS, number>> = {}): Pool {
  const limits = { ...LIMIT_MS, ...limitsMs };
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
  const inThread = <Result>(limit: keyof typeof LIMIT_MS, work: (run: Run) => Promise<Result>) =>
    free.add(() => limited(threads, limits[limit], work));
  const spare = () => (free.size > 0 ? 0 : size - free.pending);
  return {
    size,
    extract: (task) =>
      inThread('extract', (run) =>
        extractInThreads(task, {
          extract: (whole) => run('extract', whole),
          readPages: (pages) => run('readPages', pages),
          readPagesBeside: (pages) => free.add(() => run('readPages', pages)),
          spare,
        }),
      ),
    parse: (task) => inThread('parse', (run) => run('parse', task)),
    merge: (task) => inThread('merge', (run) => run('merge', task)),
    judge: (task) => inThread('judge', (run) => run('judge', task)),
    seek: (task) => inThread('seek', (run) => run('seek', task)),
    close: () => threads.destroy(),
  };
}

/** Runs a function of pool-worker.ts in a thread. */
type Run = <Result>(name: string, task: unknown) => Promise<Result>;

/** What fails, or takes too long, ends the threads that it runs in. */
async function limited<Result>(threads: Piscina, limitMs: number, work: (run: Run) => Promise<Result>): Promise<Result> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limitMs);
  try {
    return await work((name, task) => threads.run(task, { name, signal: abort.signal }));
  } catch (error) {
    const failure = abort.signal.aborted ? new PoolTimeout(limitMs) : error;
    abort.abort();
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}
