import type { GroupBudget } from '../budget.ts';
import type { Json } from '../canonical-json.ts';
import type { CallTimeouts, ModelParams, StructuredMode } from '../completion.ts';
import type { TokenAccounting } from '../lane/lane.ts';
import type { Price } from '../money.ts';
import type { Severity } from '../score.ts';
import type { Aggregate, Gate } from '../verdict.ts';

/** A manifest with defaults filled in and every file it names read: all that a run needs but the documents. */
export type ResolvedManifest = {
  readonly version: 1;
  readonly name: string;
  readonly documents: readonly DocumentEntry[];
  readonly providers: { readonly [id: string]: ResolvedProvider };
  readonly models: { readonly [id: string]: ResolvedModel };
  readonly tasks: { readonly [id: string]: ResolvedTask };
  readonly matrix: { readonly exclude: readonly MatrixRule[]; readonly only: readonly MatrixRule[] };
  readonly concurrency: number;
  readonly runConcurrency: number | null;
  readonly retry: { readonly attempts: number; readonly lostLeases: number; readonly maxWaitMs: number };
  readonly lease: LeaseTimes;
  readonly cache: { readonly mode: CacheMode; readonly ttlDays: number | null; readonly namespace: string | null };
  readonly gate: Gate;
  readonly budget: ResolvedBudget | null;
  /** A share of the documents, chosen by `seed`; `null`: all. */
  readonly sample: { readonly fraction: number; readonly seed: number } | null;
  readonly failFast: { readonly afterFailures: number } | null;
  readonly artifacts: ArtifactsMode;
  /** Further files that are written beside `summary.md`. */
  readonly outputs: readonly OutputKind[];
  /** `none`: no word of a document or a model stands in summary, report, exports and annotations. */
  readonly privacy: { readonly evidence: EvidencePrivacy };
  readonly maxJobs: number;
  /** Jobs that may wait or run in the store, those of a new run among them; `null`: any number. */
  readonly maxQueueDepth: number | null;
};

/** As the manifest states it, `usd` also as a start does; `null`: no such bound. */
export type ResolvedBudget = {
  readonly usd: number | null;
  /** `usd` was stated for a start (`--max-cost`), and not by the manifest. */
  readonly ofStart?: true;
  readonly tokens: number | null;
  readonly minutes: number | null;
  readonly warnAt: number;
  readonly group: (Pick<GroupBudget, 'name' | 'per'> & { readonly usd: number }) | null;
};

export type LeaseTimes = { readonly ttlMs: number; readonly beatMs: number; readonly deadlineMs: number };
export type CacheMode = 'read-write' | 'read' | 'refresh' | 'off';
export type OutputKind = 'junit' | 'csv' | 'sarif' | 'html' | 'badge';
export type EvidencePrivacy = 'quote' | 'none';
export type ArtifactsMode = 'all' | 'paid' | 'failures';

/** One entry of `documents`: a glob or a path, relative to the manifest's folder. */
export type DocumentEntry = {
  readonly include: string;
  /** A literal path, not a glob. */
  readonly literal: boolean;
  readonly exclude: readonly string[];
  readonly id: string | null;
  readonly tags: readonly string[];
  readonly passwordEnv: string | null;
  readonly format: string | null;
  readonly charset: string | null;
  /** No match is no error. */
  readonly optional: boolean;
};

export type ResolvedProvider = {
  readonly id: string;
  readonly type: 'openai' | 'replay' | 'simulated';
  /** Without a trailing slash; `null` for replay and simulated. */
  readonly baseUrl: string | null;
  /** Name of the variable that holds the key; `null` sends none. */
  readonly apiKeyEnv: string | null;
  readonly identity: string | null;
  readonly stream: boolean;
  /** Header name → name of the environment variable with its value. */
  readonly headers: { readonly [name: string]: string };
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly tokenAccounting: TokenAccounting;
  /** Absolute path and hash of the cassette of a `replay` provider. */
  readonly cassette: { readonly path: string; readonly sha256: string } | null;
  readonly latencyMs: number;
};

export type ResolvedModel = {
  readonly id: string;
  /** Key in `providers`. */
  readonly provider: string;
  /** What the provider calls it. */
  readonly model: string;
  /** Models of one group share a quota of their own; `null`: the provider's. */
  readonly group: string | null;
  readonly params: ModelParams;
  readonly price: Price | 'free' | null;
  readonly contextTokens: number | null;
  readonly structuredOutput: 'auto' | StructuredMode;
  readonly timeouts: CallTimeouts;
};

export type ResolvedTask = {
  readonly id: string;
  /** Text of the template, not its path. */
  readonly prompt: string;
  readonly system: string | null;
  readonly vars: { readonly [name: string]: Json };
  readonly output: {
    readonly format: 'json' | 'text';
    readonly schema: Json | null;
    readonly strict: boolean;
    readonly reask: number;
  };
  readonly checks: readonly CheckSpec[];
  /** Globs over document ids, or `tag:x`; `null` for all. */
  readonly documents: readonly string[] | null;
  /** Keys of `models`; `null` for all. */
  readonly models: readonly string[] | null;
  readonly repeats: number;
  readonly aggregate: Aggregate;
  readonly priority: number;
  /** How a document that does not fit is cut; `null`: it is not, and cannot be asked. */
  readonly chunk: ChunkRule | null;
  /** How the answers of parts become one; set when `chunk` is. */
  readonly merge: MergeRule | null;
};

export type ChunkRule = {
  /** `section`: parts begin at sections where that fills them well enough; `tokens`: at any paragraph. */
  readonly by: 'section' | 'tokens';
  /** Of one part's text; `null`: what fits the model, or 16,000 when its context is unknown. */
  readonly maxTokens: number | null;
  /** Of the part before, repeated at the head of the next. */
  readonly overlap: number;
  /** Whether a line above each part says title, headings and pages. */
  readonly context: boolean;
  /** `needed`: a document that fits the model goes in one call; `always`: it is cut by `maxTokens` all the same. */
  readonly when: 'needed' | 'always';
};

export type MergeRule = {
  /** JSON pointers of the arrays whose items are joined. */
  readonly array: readonly string[];
  /** `evidence`: what two parts found in the same words is one item. */
  readonly dedupe: 'evidence' | 'none';
  /** Text of the template that makes one answer of all; `null`: the arrays are the answer. */
  readonly reduce: string | null;
};

export type MatrixRule = { readonly document: string | null; readonly task: string | null; readonly model: string | null };

/** A check as the manifest states it. `id` defaults to its type, numbered when a task has several; `at` is a JSON pointer with `*`. */
export type CheckSpec = { readonly id: string; readonly at: string; readonly severity: Severity } & (
  | { readonly type: 'schema'; readonly schema: Json }
  | {
      readonly type: 'evidence';
      readonly minChars: number;
      readonly minVerified: number;
      /** JSON pointers from the quote's parent. */
      readonly page: string | null;
      readonly line: string | null;
      /** What a quote with an honest ellipsis is worth. */
      readonly elided: 'accept' | 'review';
      /** What `null` in the place of a quote is worth: the claim that the document does not say it. */
      readonly absence: 'review' | 'accept' | 'fail';
    }
  | { readonly type: 'equals'; readonly value: Json }
  | { readonly type: 'contains' | 'not-contains'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly type: 'regex'; readonly pattern: string; readonly flags: string }
  | { readonly type: 'range'; readonly min: number | null; readonly max: number | null }
  | { readonly type: 'count'; readonly where: Json | null; readonly min: number | null; readonly max: number | null }
);
