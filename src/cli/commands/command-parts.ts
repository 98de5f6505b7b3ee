import { type Command, InvalidArgumentError, Option } from 'commander';
import { suggestion } from '../../domain/manifest/suggest.ts';
import { isReason, REASONS, type Reason } from '../../domain/reason.ts';
import { LOG_LEVELS } from '../../observe/log/log-record.ts';
import { allowedHost, HOST_FORM } from '../config/allow-hosts.ts';
import { TAGS, USD } from '../config/config-settings.ts';
import type { CommandWork } from '../globals.ts';
import { ADDRESS_FORM, metricsAddress } from '../observe/observe-options.ts';

/** Runs the work of a command; its exit code becomes the program's. */
export type Invoke = (work: CommandWork) => Promise<void>;

/** Help of an argument or option that names a run. */
export const RUN = 'a run: its id, the beginning of its id, or "latest"';
export const DEFAULT_RUN = 'latest';

/** Help of an option that names a job. */
export const JOB = 'only this job: document:task:model, or the beginning of an id; repeat it for more';

export function allowHostOption(): Option {
  const help = 'in CI, a host that may be sent keys of your own naming; repeat it for more (env AIEVAL_ALLOW_HOSTS, commas)';
  return new Option('--allow-host <host>', help).argParser((text: string, before: readonly string[] = []) => {
    const host = allowedHost(text);
    if (host === null) throw new InvalidArgumentError(`Expected ${HOST_FORM}.`);
    return [...before, host];
  });
}

export function concurrencyOption(help = 'calls at once in this process'): Option {
  return new Option('--concurrency <n>', help).argParser((text) => {
    if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected an integer from 1 to 9999.');
    return Number(text);
  });
}

export function tagsOption(
  help = 'what this machine has, such as gpu,large: it also works on tasks that require it (env AIEVAL_TAGS)',
): Option {
  return new Option('--tags <tags>', help).argParser((text) => {
    const tags = TAGS.fromText(text);
    if (tags === null || tags.length === 0) throw new InvalidArgumentError(`Expected ${TAGS.form}, with commas between.`);
    return tags;
  });
}

export function metricsOption(): Option {
  const help = 'serve metrics there while it works: /metrics, /healthz, /readyz (env AIEVAL_METRICS)';
  return new Option('--metrics <host:port>', help).argParser((text) => {
    const address = metricsAddress(text);
    if (address === null) throw new InvalidArgumentError(`Expected ${ADDRESS_FORM}.`);
    return address;
  });
}

export function logFileOption(): Option {
  return new Option('--log-file <path>', 'keep a log of the work there, in JSON lines; - for stderr (env AIEVAL_LOG_FILE)');
}

export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'the least that it holds; default info (env AIEVAL_LOG_LEVEL)').choices(LOG_LEVELS);
}

export function maxCostOption(): Option {
  return new Option('--max-cost <usd>', 'spend this much at most, in place of budget.usd').argParser((text) => {
    const usd = USD.fromText(text);
    if (usd === null) throw new InvalidArgumentError(`Expected ${USD.form}.`);
    return usd;
  });
}

export function maxJobsOption(): Option {
  return new Option('--max-jobs <n>', 'refuse a manifest that gives more jobs, in place of maxJobs').argParser(wholeNumber);
}

export function maxQueueDepthOption(): Option {
  const help = 'refuse when with its jobs more would wait or run in the store, over all runs, in place of maxQueueDepth';
  return new Option('--max-queue-depth <n>', help).argParser(wholeNumber);
}

export function profileOption(): Option {
  return new Option('--profile <name>', "put the manifest's profile of this name over it (env AIEVAL_PROFILE)");
}

/** Of `plan` and `run`: which jobs of the manifest are meant. */
export function selectOptions(command: Command): Command {
  return command
    .option('--document <glob>', 'only these documents, or those with a tag: tag:x; repeat it for more', collectGlobs)
    .option('--task <glob>', 'only these tasks; repeat it for more', collectGlobs)
    .option('--model <glob>', 'only these models; repeat it for more', collectGlobs)
    .option('-n, --first <n>', 'of these, only the first so many jobs', wholeNumber);
}

export function maxCharsOption(): Option {
  return new Option('--max-chars <n>', 'longest text, in characters; default 60000, as much as a pull-request comment takes').argParser(
    (text) => {
      const value = wholeNumber(text);
      if (value < 1000) throw new InvalidArgumentError('Expected 1000 or more.');
      return value;
    },
  );
}

const SINCE_UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function sinceOption(): Option {
  return new Option('--since <when>', 'only later than this: 15m, 2h, 1d ago, or an ISO time').argParser((text) => {
    const [, amount, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
    const ms = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (SINCE_UNITS[unit] ?? 0);
    if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected a time such as 15m, 2h or 2026-11-30T08:00Z.');
    return ms;
  });
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number above 0.');
  return Number(text);
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function collectReasons(text: string, before: readonly Reason[] = []): readonly Reason[] {
  return [...before, ...text.split(',').map(reasonOf)];
}

/** Of a try, never of a job in the DLQ. */
const NEVER_FAILED: Reason = 'cancelled';

function reasonOf(word: string): Reason {
  if (word === NEVER_FAILED) throw new InvalidArgumentError('A cancelled job did not fail: "aieval run" evaluates it.');
  if (isReason(word)) return word;
  const reasons = REASONS.filter((reason) => reason !== NEVER_FAILED);
  const meant = suggestion(word, reasons);
  throw new InvalidArgumentError(meant === null ? `The reasons are ${reasons.join(', ')}.` : `Did you mean ${meant}?`);
}

/** An option that may be given again. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

const LONGEST_GLOB = 1024;

/** A glob that may be given again. What makes patterns of globs throws at empty and very long ones. */
export function collectGlobs(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '' || text.length > LONGEST_GLOB) throw new InvalidArgumentError(`Expected a glob of 1–${LONGEST_GLOB} characters.`);
  return [...before, text];
}

/** The end of a command's help. */
export function examples(...lines: readonly (readonly [command: string, comment: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, comment]) => `  ${command.padEnd(width)}   ${comment}`).join('\n')}\n\nExit codes: aieval --help`;
}
