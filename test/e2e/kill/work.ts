import type { Project } from '../project.ts';
import { manifest } from '../project.ts';
import type { Rows } from './database.ts';
import { LABEL_VARIABLE } from './fleet.ts';
import { WORKER_HEADER } from './oracle.ts';
import { pathOf, type Question, questionsOf, textOf } from './questions.ts';
import type { Random } from './random.ts';

export const LEASE = { ttlMs: 3000, beatMs: 500, deadlineMs: 60_000 };

/** Calls at once in one process: what a single death can cost. */
export const CONCURRENCY = 8;

/** High enough that neither deaths nor faults end a job: how each ends is known beforehand. */
const RETRY = { attempts: 20, lostLeases: 20 };

/** Two manifests that ask the same questions: one answer serves both, whichever run paid for it. */
const MANIFESTS = ['a', 'b'] as const;

/** The last jobs of a run wait for backoffs: meanwhile there is another batch to work on. */
const OPEN_AT_LEAST = 3;

export type RunInfo = { readonly runId: string; readonly name: string; readonly state: string; readonly failed: number };

const RUNS = `
SELECT run_id AS "runId", name, state, (SELECT count(*) FROM jobs j WHERE j.run_id = runs.run_id AND j.state = 'failed') AS failed
FROM runs ORDER BY created_at_ms`;

export function runsOf(rows: Rows): Promise<RunInfo[]> {
  return rows.all<RunInfo>(RUNS);
}

export type WorkOptions = {
  readonly baseUrl: string;
  /** Questions that come at once. */
  readonly batchSize: number;
  readonly random: Random;
};

/** Manifests and documents, made as they are needed, so that there is work for as long as the test wants. */
export class Work {
  readonly #place: Project;
  readonly #baseUrl: string;
  readonly #batchSize: number;
  readonly #random: Random;
  readonly #batches: string[] = [];
  /** All questions of all batches, by name. */
  readonly questions = new Map<string, Question>();
  /** `retry` commands that were started, by run. */
  readonly retries = new Map<string, number>();

  constructor(place: Project, { baseUrl, batchSize, random }: WorkOptions) {
    this.#place = place;
    this.#baseUrl = baseUrl;
    this.#batchSize = batchSize;
    this.#random = random;
    this.#addBatch();
  }

  /** Manifests whose run is not finished, or was never started. */
  unfinished(runs: readonly RunInfo[]): string[] {
    return this.#batches.flatMap((batch) =>
      MANIFESTS.map((each) => `${batch}-${each}`).filter((name) => {
        const own = runs.filter((run) => run.name === name);
        return own.length === 0 || own.some((run) => run.state !== 'finished');
      }),
    );
  }

  /** The next command of a process: mostly the manifests in work, sometimes an old one, sometimes the failed jobs of a run. */
  next(runs: readonly RunInfo[]): string[] {
    const random = this.#random;
    const failed = random.pick(runs.filter((run) => run.failed > 0));
    if (failed !== undefined && random.chance(0.08)) return this.retry(failed.runId);
    const finished = random.pick(runs.filter((run) => run.state === 'finished'));
    if (finished !== undefined && random.chance(0.05)) return runCommand(finished.name);
    if (this.unfinished(runs).length < OPEN_AT_LEAST) this.#addBatch();
    return runCommand(random.pick(this.unfinished(runs)) ?? '');
  }

  retry(runId: string): string[] {
    this.retries.set(runId, (this.retries.get(runId) ?? 0) + 1);
    return ['retry', runId, '--dlq', '--json'];
  }

  #addBatch(): void {
    const batch = `b${String(this.#batches.length + 1).padStart(2, '0')}`;
    const questions = questionsOf(batch, this.#batchSize, this.#random);
    for (const question of questions) {
      this.questions.set(question.name, question);
      this.#place.write(pathOf(question), textOf(question));
    }
    for (const each of MANIFESTS) this.#place.write(`${batch}-${each}.json`, this.#manifest(batch, each));
    this.#batches.push(batch);
  }

  #manifest(batch: string, each: (typeof MANIFESTS)[number]): string {
    const headers = { [WORKER_HEADER]: `\${${LABEL_VARIABLE}}` };
    const lab = { type: 'openai', baseUrl: this.#baseUrl, headers, limits: { concurrency: 200 } };
    return manifest(this.#baseUrl, {
      name: `${batch}-${each}`,
      documents: [`docs/${batch}/*.md`],
      providers: { lab },
      concurrency: CONCURRENCY,
      lease: LEASE,
      retry: RETRY,
      // A gate does not belong to what is asked; a check does not belong to the key.
      gate: { minPassRate: 0, maxErrorRate: 1 },
      ...(each === 'b' ? { tasks: TASKS_WITH_COUNT } : {}),
    });
  }
}

export function runCommand(name: string): string[] {
  return ['run', `${name}.json`, '--json'];
}

const TASKS_WITH_COUNT = withCount();

/** The same task with one check more: the same keys, another run identity. */
function withCount(): object {
  const plain: { tasks: { quotes: { checks: object[] } } } = JSON.parse(manifest(''));
  const { quotes } = plain.tasks;
  return { quotes: { ...quotes, checks: [...quotes.checks, { type: 'count', at: '/findings', max: 3 }] } };
}
