import type { Failure } from '../domain/reason.ts';
import type { JobError } from '../domain/result.ts';
import type { Score } from '../domain/score.ts';
import type { StepKind } from '../domain/step.ts';
import type { JobRow } from './rows.ts';

/** Where a log was read up to. Tries come before the jobs that ended in the same millisecond. */
export type LogPlace = { readonly atMs: number; readonly kind: 'try' | 'job'; readonly id: number };

export type LogPage = {
  /** Rows after this one; `null` from the start. */
  readonly after: LogPlace | null;
  /** Rows of this time and later, and before `beforeMs`; milliseconds since 1970. */
  readonly sinceMs: number;
  readonly beforeMs: number;
  readonly limit: number;
  /** Only tries that were not answered, and jobs whose verdict is `fail` or `error`. */
  readonly onlyFailed: boolean;
  /** Only these; `null`: all. */
  readonly jobIds: readonly string[] | null;
};

type LogJob = Pick<JobRow, 'jobId' | 'documentId' | 'task' | 'model' | 'repeat'>;

/** Something that happened to a job. A try that succeeded is told by its job's end; a job that was asked again has its last end only. */
export type LogRow = { readonly place: LogPlace; readonly job: LogJob } & (
  | {
      readonly kind: 'try';
      readonly outcome: 'failed' | 'lost' | 'superseded' | 'downgraded';
      /** Nothing followed it. */
      readonly final: boolean;
      readonly step: StepKind;
      readonly index: number;
      readonly number: number;
      readonly failure: Failure | null;
    }
  | {
      readonly kind: 'job';
      readonly state: JobRow['state'];
      readonly verdict: JobRow['verdict'];
      readonly cached: boolean;
      readonly error: JobError | null;
      /** Of a job whose verdict is `fail` or `review`; empty otherwise. */
      readonly scores: readonly Score[];
    }
);
