import type { JobFate } from './job-fates.ts';

type Question = Pick<JobFate['job'], 'documentId' | 'task' | 'model'>;

/** Counts the results that jobs will give, as they come in plan order: repeats of a question follow each other and give one. */
export class ResultTally {
  /** Of all jobs. */
  all = 0;
  /** Those that can be evaluated. */
  #possible = 0;
  #last: Question | null = null;
  #isCounted = false;

  add({ job, fate }: Pick<JobFate, 'fate'> & { readonly job: Question }): void {
    if (this.#last === null || !isSame(this.#last, job)) {
      this.#last = job;
      this.#isCounted = false;
      this.all += 1;
    }
    if (this.#isCounted || fate === 'failed' || fate === 'known_bad') return;
    this.#isCounted = true;
    this.#possible += 1;
  }

  /** Those that cannot be evaluated. */
  failed(): number {
    return this.all - this.#possible;
  }
}

function isSame(one: Question, other: Question): boolean {
  return one.documentId === other.documentId && one.task === other.task && one.model === other.model;
}
