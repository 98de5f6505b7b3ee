import type { DocumentFormat } from '../domain/document.ts';
import type { Reason } from '../domain/reason.ts';
import type { UnknownCost } from '../store/plan-rows.ts';

/** Options of each command, checked by the parser: what is absent was not given. */
export type RunOptions = {
  readonly new?: boolean;
  /** False with `--no-cache`. */
  readonly cache: boolean;
  readonly record?: string;
  /** Hosts that may be sent keys of the user's own naming in CI. */
  readonly allowHost?: readonly string[];
  /** At least 1. */
  readonly concurrency?: number;
  readonly exitZero?: boolean;
  /** USD, 0 or more: takes the place of `budget.usd`. */
  readonly maxCost?: number;
  /** Stay while a provider that is paused until some time is all that is waited for. */
  readonly wait?: boolean;
};

export type RetryOptions = {
  readonly dlq?: boolean;
  readonly reason?: readonly Reason[];
  /** Not with the two above. */
  readonly failed?: boolean;
  /** As `show` takes them. */
  readonly job?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly concurrency?: number;
  readonly exitZero?: boolean;
};

export type WorkerOptions = {
  readonly exitWhenIdle?: boolean;
  readonly allowHost?: readonly string[];
  /** At least 1. */
  readonly concurrency?: number;
};

export type CancelOptions = {
  readonly now?: boolean;
  /** As `show` takes them. */
  readonly job?: readonly string[];
  /** Globs. */
  readonly document?: readonly string[];
  readonly task?: readonly string[];
  readonly model?: readonly string[];
  readonly dryRun?: boolean;
};

/** What `budget settle-unknown --at` offers. */
export const UNKNOWN_COSTS = ['worst', 'expected', 'zero'] as const satisfies readonly UnknownCost[];
export type SettleOptions = { readonly at: UnknownCost };
export type BudgetResetOptions = { readonly yes?: boolean };

/** What `store set` can change. */
export const SETTINGS = ['maxRunning'] as const;
export type SettingName = (typeof SETTINGS)[number];

export type PlanOptions = { readonly list?: boolean; readonly maxCost?: number };

export type StatusOptions = {
  readonly watch?: boolean;
  /** Seconds between two looks. */
  readonly interval: number;
  readonly exitStatus?: boolean;
  readonly all?: boolean;
};

export type ShowOptions = {
  readonly run: string;
  readonly prompt?: boolean;
  readonly raw?: boolean;
  /** As its folder is called: `chunk-2`. */
  readonly step?: string;
  readonly attempts?: boolean;
};

/** How a file is to be read, as an entry of the manifest's `documents` says it. */
export type FileOptions = {
  readonly format?: DocumentFormat;
  readonly charset?: string;
  /** Name of an environment variable. */
  readonly passwordEnv?: string;
};

/** What `extract --format` and `quote --format` offer. */
export const FILE_FORMATS = [
  'markdown',
  'text',
  'rfc',
  'html',
  'pdf',
  'docx',
  'asciidoc',
  'latex',
] as const satisfies readonly DocumentFormat[];

export type ExtractOptions = FileOptions & {
  readonly sections?: boolean;
  /** The parts in which a task with `chunk` would ask it. */
  readonly chunks?: boolean;
  readonly by?: 'section' | 'tokens';
  readonly maxTokens?: number;
  readonly overlap?: number;
};

export type QuoteOptions = FileOptions & {
  /** The place that is claimed. */
  readonly page?: number;
  readonly line?: number;
  readonly minChars: number;
};

/** What `summary --format` offers; a format that `summary.ts` does not write does not compile. */
export const SUMMARY_FORMATS = ['md', 'txt', 'json'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];
export type SummaryOptions = { readonly format?: SummaryFormat; readonly artifactUrl?: string };

export type GcOptions = {
  /** 0 or more. */
  readonly keepDays: number;
  readonly keepRuns: number;
  readonly cacheDays?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

export type CacheClearOptions = { readonly yes?: boolean };

export type CacheInvalidateOptions = {
  readonly model?: string;
  readonly namespace?: string;
  readonly endpoint?: string;
  /** Milliseconds since 1970. */
  readonly before?: number;
  /** Days. */
  readonly olderThan?: number;
  readonly dryRun?: boolean;
};
