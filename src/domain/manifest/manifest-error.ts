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

function linesOf({ code, message, excerpt }: Problem): string[] {
  if (code !== 'E02' || excerpt === null) return [message];
  return [message, ...excerpt.split('\n').map((line) => `  ${line}`)];
}
