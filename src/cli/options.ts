import type { Reason } from '../domain/reason.ts';

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
};

export type RetryOptions = {
  readonly dlq?: boolean;
  readonly reason?: readonly Reason[];
  /** As `show` takes them. */
  readonly job?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly concurrency?: number;
  readonly exitZero?: boolean;
};

export type PlanOptions = { readonly list?: boolean };

export type StatusOptions = {
  readonly watch?: boolean;
  /** Seconds between two looks. */
  readonly interval: number;
  readonly exitStatus?: boolean;
};

export type ShowOptions = {
  readonly run: string;
  readonly prompt?: boolean;
  readonly raw?: boolean;
  readonly attempts?: boolean;
};

/** What `summary --format` offers; a format that `summary.ts` does not write does not compile. */
export const SUMMARY_FORMATS = ['md', 'txt', 'json'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];
export type SummaryOptions = { readonly format?: SummaryFormat; readonly artifactUrl?: string };
