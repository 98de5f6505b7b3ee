import type { WorkerOptions } from '../commands/options.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** The command of a worker of all runs that does the same: what it may do and how long it stays, not how it is watched. */
export function workerAgain({ exitWhenIdle, tags = [], concurrency, allowHost = [] }: WorkerOptions): string {
  const words = [
    ...(exitWhenIdle === true ? ['--exit-when-idle'] : []),
    ...(tags.length === 0 ? [] : ['--tags', tags.join(',')]),
    ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
    ...allowHost.flatMap((host) => ['--allow-host', host]),
  ];
  return ['aieval worker', ...words.map(shellWord)].join(' ');
}
