import { UserError } from '../errors.ts';
import type { Problem } from './problem.ts';

const SHOWN_PROBLEMS = 30;

/** A manifest cannot be used. The message has one line for each problem, syntax errors with their source line below. Exit 2. */
export class ManifestError extends UserError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const more = problems.length - SHOWN_PROBLEMS;
    const lines = problems.slice(0, SHOWN_PROBLEMS).flatMap(linesOf);
    super({
      code: problems[0]?.code ?? 'E07',
      exitCode: 2,
      message: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
      next: [...new Set(problems.flatMap(({ hint }) => (hint === null ? [] : [hint])))],
    });
    this.name = 'ManifestError';
    this.problems = problems;
  }
}

/** The code of the first is the error's own; every other one bears its code as the first is printed. */
function linesOf({ code, message, excerpt }: Problem, index: number): string[] {
  const line = index === 0 ? message : `error[${code}]: ${message}`;
  if (code !== 'E02' || excerpt === null) return [line];
  return [line, ...excerpt.split('\n').map((line) => `  ${line}`)];
}
