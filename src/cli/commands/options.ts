import type { DocumentFormat } from '../../domain/document.ts';
import type { Reason } from '../../domain/reason.ts';
import type { UnstatedSettings } from '../../engine/with-settings.ts';
import type { UnknownCost } from '../../store/plan-rows.ts';
import type { ObserveOptions } from '../observe/observe-options.ts';

/** Which jobs of a manifest are meant. */
export type SelectOptions = {
  /** Globs over document ids, or `tag:x`. */
  readonly document?: readonly string[];
  /** Globs over the keys of `tasks` and `models`. */
  readonly task?: readonly string[];
  readonly model?: readonly string[];
  /** Of what is selected, only the first so many jobs in plan order; at least 1. */
  readonly first?: number;
};

/** What takes the place of a manifest's own settings. */
export type SettingOptions = {
  /** A name in `profiles`. */
  readonly profile?: string;
  /** USD, 0 or more: takes the place of `budget.usd`. */
  readonly maxCost?: number;
  /** At least 1: takes the place of `maxJobs`. */
  readonly maxJobs?: number;
  /** At least 1: takes the place of `maxQueueDepth`. */
  readonly maxQueueDepth?: number;
  /** At least 1: takes the place of `concurrency`. */
  readonly concurrency?: number;
  /** Not typed: see there. */
  readonly layers?: SettingLayers;
};

/** What is said of a command's settings elsewhere than on its line. */
export type SettingLayers = {
  /** Who said a setting: `AIEVAL_MAX_COST`, `user config /path`. What is not in it was typed. */
  readonly from: { readonly [setting: string]: string };
  /** What the user config says, for a manifest that does not say it. */
  readonly unstated: UnstatedSettings;
};

/** Options of each command, checked by the parser: what is absent was not given. */
export type RunOptions = SelectOptions &
  SettingOptions &
  ObserveOptions & {
    readonly new?: boolean;
    /** False with `--no-cache`. */
    readonly cache: boolean;
    readonly record?: string;
    /** Hosts that may be sent keys of the user's own naming in CI. */
    readonly allowHost?: readonly string[];
    /** What this machine has. */
    readonly tags?: readonly string[];
    readonly exitZero?: boolean;
    /** Stay while a provider that is paused until some time is all that is waited for. */
    readonly wait?: boolean;
  };

export type RetryOptions = ObserveOptions & {
  readonly dlq?: boolean;
  readonly reason?: readonly Reason[];
  /** Not with the two above. */
  readonly failed?: boolean;
  /** As `show` takes them. */
  readonly job?: readonly string[];
  readonly dryRun?: boolean;
  /** USD, 0 or more: takes the place of the run's bound. */
  readonly maxCost?: number;
  /** At least 1: takes the place of `maxQueueDepth`. */
  readonly maxQueueDepth?: number;
  readonly layers?: SettingLayers;
  readonly allowHost?: readonly string[];
  readonly concurrency?: number;
  readonly tags?: readonly string[];
  readonly exitZero?: boolean;
};

export type WorkerOptions = ObserveOptions & {
  readonly exitWhenIdle?: boolean;
  readonly allowHost?: readonly string[];
  readonly tags?: readonly string[];
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

export type InitOptions = {
  /** A complete example that runs without a key. */
  readonly example?: boolean;
  /** Writes over files that are there. */
  readonly force?: boolean;
};

export type ValidateOptions = Pick<SettingOptions, 'profile' | 'layers'> & { /** Warnings fail, too. */ readonly strict?: boolean };

export type PlanOptions = SelectOptions &
  SettingOptions & {
    readonly list?: boolean;
    /** The job whose answer is looked for, as `show` takes it. */
    readonly why?: string;
    /** False with `--no-cache`. */
    readonly cache: boolean;
    /** Say where each setting came from. */
    readonly verbose?: boolean;
  };

export type StatusOptions = {
  readonly watch?: boolean;
  /** Seconds between two looks. */
  readonly interval: number;
  readonly exitStatus?: boolean;
  readonly all?: boolean;
};

export type ScaleOptions = {
  /** Minutes in which the open jobs should be done. */
  readonly target: number;
  readonly min: number;
  readonly max: number;
  /** Of each worker. */
  readonly concurrency?: number;
  readonly tags?: readonly string[];
};

export type ShowOptions = {
  readonly run: string;
  readonly prompt?: boolean;
  readonly raw?: boolean;
  /** As its folder is called: `chunk-2`. */
  readonly step?: string;
  readonly attempts?: boolean;
  /** The document as it was evaluated, with the quotes marked where they stand. */
  readonly doc?: boolean;
};

export type LogsOptions = {
  /** As `show` takes them. */
  readonly job?: readonly string[];
  /** Only what went wrong. */
  readonly failed?: boolean;
  /** Stay, and print what comes, until the run ends. */
  readonly follow?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
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
export const SUMMARY_FORMATS = ['md', 'txt', 'json', 'github'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];
export type SummaryOptions = {
  readonly format?: SummaryFormat;
  readonly artifactUrl?: string;
  /** Where the report can be read, for a link. */
  readonly reportUrl?: string;
  /** UTF-16 units; at least 1000. */
  readonly maxChars?: number;
  /** A `results.jsonl` to read instead of a run of the database. */
  readonly from?: string;
};

/** What `report --docs` offers: of each document the cited passages, the whole text, or nothing. */
export const REPORT_DOCS = ['cited', 'full', 'none'] as const;
type ReportDocs = (typeof REPORT_DOCS)[number];
export type ReportOptions = { readonly output?: string; readonly docs: ReportDocs; readonly open?: boolean; readonly artifactUrl?: string };

/** What `export --format` offers. */
export const EXPORT_FORMATS = ['junit', 'csv', 'jsonl', 'sarif', 'badge'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export type ExportOptions = { readonly format: ExportFormat; readonly output?: string /** As of `summary`. */; readonly from?: string };

/** The shells that `completion` knows. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export type DoctorOptions = Pick<SettingOptions, 'profile' | 'layers'> & {
  /** Ask the endpoints, too. */
  readonly online?: boolean;
  readonly allowHost?: readonly string[];
};

export type GcOptions = {
  /** 0 or more. */
  readonly keepDays: number;
  readonly keepRuns: number;
  readonly cacheDays?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

export type StoreCopyOptions = { readonly verify?: boolean; readonly dryRun?: boolean };

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
