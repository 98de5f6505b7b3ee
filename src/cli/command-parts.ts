import { InvalidArgumentError, Option } from 'commander';
import { suggestion } from '../domain/manifest/suggest.ts';
import { isReason, REASONS, type Reason } from '../domain/reason.ts';
import { allowedHost, HOST_FORM } from './allow-hosts.ts';
import type { CommandWork } from './globals.ts';

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

export function concurrencyOption(): Option {
  return new Option('--concurrency <n>', 'calls at once in this process').argParser((text) => {
    if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected an integer from 1 to 9999.');
    return Number(text);
  });
}

export function maxCostOption(): Option {
  return new Option('--max-cost <usd>', 'spend this much at most, in place of budget.usd').argParser((text) => {
    if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected an amount of USD, such as 5 or 0.50.');
    return Number(text);
  });
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function collectReasons(text: string, before: readonly Reason[] = []): readonly Reason[] {
  return [...before, ...text.split(',').map(reasonOf)];
}

function reasonOf(word: string): Reason {
  if (isReason(word)) return word;
  const meant = suggestion(word, REASONS);
  throw new InvalidArgumentError(meant === null ? `The reasons are ${REASONS.join(', ')}.` : `Did you mean ${meant}?`);
}

/** An option that may be given again. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** The end of a command's help. */
export function examples(...lines: readonly (readonly [command: string, comment: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, comment]) => `  ${command.padEnd(width)}   ${comment}`).join('\n')}\n\nExit codes: aieval --help`;
}
