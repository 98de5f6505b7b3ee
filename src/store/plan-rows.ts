import type { Budget } from '../domain/budget.ts';
import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { LaneLimits } from '../domain/lane/lane.ts';
import type { ResolvedBudget, ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { StepInput } from '../domain/part.ts';
import type { DocumentReason, Reason } from '../domain/reason.ts';
import type { JobError } from '../domain/result.ts';
import type { RunSettings } from '../domain/run.ts';
import type { CallStepKind } from '../domain/step.ts';
import type { Aggregate } from '../domain/verdict.ts';

export type NewRun = {
  /** Used when the run is new. */
  readonly runId: string;
  readonly identity: string;
  readonly name: string;
  readonly manifestPath: string;
  /** The resolved manifest, for workers, reports and `retry`. */
  readonly manifest: ResolvedManifest;
  readonly settings: RunSettings;
  /** Absolute path of the run's folder. */
  readonly outDir: string;
  /**
   * The person named `outDir`: a joined run moves there, its files unwritten. When it is named after `runId` it gets the joined
   * run's name instead.
   */
  readonly moveOut: boolean;
  /** Takes the identity from an older unfinished run of the same identity. */
  readonly forceNew: boolean;
  readonly lanes: readonly NewLane[];
  /** How repeats become a result, per task. */
  readonly aggregates: { readonly [task: string]: { readonly repeats: number; readonly aggregate: Aggregate } };
};

export type NewLane = LaneLimits & {
  readonly laneId: string;
  /** Lanes of one endpoint and key: what the key is refused for holds for all of them. */
  readonly accountId: string;
  readonly label: string;
  /** Names in the manifest of those whose calls draw on it. */
  readonly models: readonly string[];
  /** The vendor is known to keep prompts in a cache. */
  readonly cachesPrompts: boolean;
};

export type RunDocument = {
  readonly documentId: string;
  /** Absolute path at plan time. */
  readonly path: string;
  readonly bytesSha256: string | null;
  readonly tags: readonly string[];
  readonly sizeBytes: number | null;
  readonly content:
    | {
        readonly ok: true;
        readonly textSha256: string;
        readonly text?: CanonicalText;
        /** Kept with `text`, so that the same bytes need no extraction again; absent: not kept. */
        readonly extraction?: {
          readonly key: string;
          readonly tokens: number;
          readonly maxTokens: number;
          readonly stretches?: readonly number[];
        };
      }
    | { readonly ok: false; readonly reason: DocumentReason; readonly message: string };
};

export type NewJob = {
  readonly jobId: string;
  /** Plan order, from 0: document, task, model, repeat. */
  readonly seq: number;
  readonly documentId: string;
  readonly textSha256: string | null;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly priority: number;
  /** The job is inserted `failed` without steps: its document has no usable text. */
  readonly failure: JobError | null;
  readonly steps: readonly NewStep[];
  /** Calls that will follow from these steps' answers (`reduce`), as large as they can be foreseen: for what all of it costs. */
  readonly later: readonly LaterCall[];
};

/** A call that is told what others answer. */
export type LaterCall = Pick<NewStep, 'inputTokens' | 'maxInputTokens'> & {
  /** Answers in its prompt whose length is not known: taken for half as long as they can be, and at most for as long. */
  readonly answers: number;
};

export type NewStep = {
  readonly kind: CallStepKind;
  readonly index: number;
  readonly key: string;
  /** The parts of the key, for `plan --why`. */
  readonly keyRecord: Json;
  readonly laneId: string;
  /** Of the rendered prompt, as our tokenizer counts. */
  readonly inputTokens: number;
  /** More than any tokenizer makes of it. */
  readonly maxInputTokens: number;
  /** Hash of the beginning that prompts of other steps share and a provider may cache; `null` when it is too short for that. */
  readonly prefix: string | null;
  readonly input: StepInput | null;
};

/** A step that follows from other steps' answers: its lane is that of those steps, which only the store knows for sure. */
export type FollowingStep = Omit<NewStep, 'laneId'>;

export type RetrySelection = {
  /** `dlq`: jobs that could not be evaluated. `failed`: jobs with verdict fail, whose answers are asked for anew. */
  readonly of: 'dlq' | 'failed';
  /** `null` for every such job. */
  readonly jobIds: readonly string[] | null;
  /** Of `dlq` only. */
  readonly reasons: readonly Reason[] | null;
};

/** What a retry changes of its run besides: from then on this budget holds, as the store and as the manifest keep it. */
export type RetryTerms = { readonly budget: Budget; readonly manifestBudget: ResolvedBudget };

export type RetryHow = {
  readonly terms?: RetryTerms | undefined;
  /** Jobs that may wait or run in the store, these among them; `null`: any number. */
  readonly maxQueueDepth?: number | null;
};

/** What an unknown call is taken to have cost: the most it can, what such calls cost on average here, or nothing. */
export type UnknownCost = 'worst' | 'expected' | 'zero';

export type NewWorker = {
  readonly workerId: string;
  /** The run it works on; `null` for all. */
  readonly runId: string | null;
  readonly hostId: string;
  readonly hostname: string;
  readonly pid: number;
  readonly version: string;
  /** What its machine has: it calls for steps of tasks that need no more than that. Absent: nothing. */
  readonly tags?: readonly string[];
  /** It was started with the manifest: as long as it lives it adds what of its run's plan is missing. */
  readonly plans?: boolean;
};
