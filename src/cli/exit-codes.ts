import type { RunVerdict } from '../domain/verdict.ts';
import type { RunTotals, Waiting } from '../store/rows.ts';

/** What the process says to scripts. Codes are only ever added; a script takes an unknown one as a failure. */
export const EXIT = {
  pass: 0,
  /** The gate is not met. */
  gate: 1,
  /** Flags, arguments or manifest are wrong; nothing was spent. */
  usage: 2,
  /** Too much could not be evaluated, or work is left open or was cancelled. */
  incomplete: 3,
  /** A key or an endpoint failed before the first answered call. */
  access: 4,
  /** Nothing was selected. */
  empty: 5,
  /** The expected cost is above it, or it is reached and work is left. */
  budget: 6,
  /** The state refuses: paused, queue full, other version. */
  refused: 7,
  storage: 8,
  /** Of `quote`: near, so a person must decide. */
  review: 9,
  bug: 70,
  /** 128 + SIGINT; the state is saved. */
  interrupted: 130,
  /** 128 + SIGTERM; the state is saved. */
  terminated: 143,
} as const;

/** The line of `--help` for each code. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.pass, 'pass'],
  [EXIT.gate, 'gate not met'],
  [EXIT.usage, 'usage or manifest error, nothing spent'],
  [EXIT.incomplete, 'incomplete: too many errors, or work left open or cancelled'],
  [EXIT.access, 'key or endpoint problem before the first answered call'],
  [EXIT.empty, 'nothing selected'],
  [EXIT.budget, 'budget: the expected cost is above it, or it is reached'],
  [EXIT.refused, 'the state refuses (paused, queue full, other version)'],
  [EXIT.storage, 'storage'],
  [EXIT.review, 'quote: near, a person must decide'],
  [EXIT.bug, 'bug in aieval, or a broken installation'],
  [EXIT.interrupted, 'interrupted (SIGINT), state saved'],
  [EXIT.terminated, 'terminated (SIGTERM), state saved'],
];

/** Strongest first: an unfinished run's numbers are not final, so what stopped it outweighs what it found. */
const PRECEDENCE: readonly number[] = [130, 143, 70, 8, 7, 2, 6, 4, 3, 1, 9, 5, 0];

/** The one code to exit with when several apply; 0 for none. A code that is not in the table counts as a bug would. */
export function worst(codes: Iterable<number>): number {
  let strongest: number = EXIT.pass;
  for (const code of codes) if (rank(code) < rank(strongest)) strongest = code;
  return strongest;
}

function rank(code: number): number {
  const place = PRECEDENCE.indexOf(code);
  return place === -1 ? PRECEDENCE.indexOf(EXIT.bug) : place;
}

/** What a finished run's verdict alone means for the exit code. */
export function exitCodeOf(verdict: RunVerdict): number {
  return { pass: EXIT.pass, fail: EXIT.gate, incomplete: EXIT.incomplete }[verdict];
}

type Answers = Pick<RunTotals, 'jobs' | 'tokens'>;

/**
 * What a wait that ended a run means for the exit code. A key or a server that is to be mended is another matter than one that names the
 * time at which it will answer.
 */
export function blockedCode({ why, untilMs, reason = null }: Waiting, totals: Answers): number {
  if (why.startsWith('budget_')) return EXIT.budget;
  if (why === 'fail_fast' || answered(totals)) return EXIT.incomplete;
  return untilMs !== null && (reason === null || reason === 'rate_limited') ? EXIT.incomplete : EXIT.access;
}

function answered({ jobs, tokens }: Answers): boolean {
  return jobs.succeeded > 0 || tokens.output > 0;
}
