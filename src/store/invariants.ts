/** A fact about all rows at every moment, in the form of a statement that selects what breaks it: `subject`, one row each. */
export type Invariant = {
  readonly check: 'totals' | 'work';
  /** What is wrong when rows come. */
  readonly name: string;
  readonly sql: string;
};

/** What holds in every committed state of every store of this version, whatever its runs' settings. */
const FACTS = {
  totalsOfJobs: { check: 'totals', name: 'totals that are not the sums over the jobs' },
  totalsOfAttempts: { check: 'totals', name: 'totals that are not the sums over the attempts' },
  totalsOfCalls: { check: 'totals', name: 'totals that are not the sums over the calls' },
  totalsOfParts: { check: 'totals', name: 'totals that are not the sums over the parts' },
  latenciesOfCalls: { check: 'totals', name: 'latencies that are not those of the calls' },
  totalsOfGroups: { check: 'totals', name: 'groups whose open money is not the sum over the calls' },
  twoFlights: { check: 'work', name: 'two flights of one key' },
  twoFlightsInRun: { check: 'work', name: 'one key running twice in a run' },
  stateOfOpenJob: { check: 'work', name: 'an open job whose state is not that of its steps' },
  openJobWithoutStep: { check: 'work', name: 'an open job without an open step' },
  openStepOfEndedJob: { check: 'work', name: 'a queued step of an ended job' },
  openCallWithoutLease: { check: 'work', name: 'an open call without a lease' },
  invalidInCache: { check: 'work', name: 'a cached answer that was never found valid' },
  cancelOfEndedJob: { check: 'work', name: 'an ended job that is still to be cancelled' },
  callOfEndingJob: { check: 'work', name: 'a call queued for a job that is being cancelled' },
  partWithoutInput: { check: 'work', name: 'a part or a reduce that asks nothing' },
  reduceBeforeItsParts: { check: 'work', name: 'answers that are reduced before all are there' },
  resultOfFailedJob: { check: 'work', name: 'a failed job that keeps a result' },
  grantOfEndedCall: { check: 'work', name: 'a call that never left and gave nothing back' },
  parkedForNobody: { check: 'work', name: 'a step that waits for a person though its model is not paused' },
  twoSuspects: { check: 'work', name: 'a worker with two suspects' },
} as const;

/** How one kind of store is asked for what breaks each of the facts. */
export type InvariantStatements = { readonly [fact in keyof typeof FACTS]: string };

export function invariantsOf(statements: InvariantStatements): readonly Invariant[] {
  return Object.entries(FACTS).map(([fact, { check, name }]) => ({ check, name, sql: statementOf(statements, fact) }));
}

function statementOf(statements: { readonly [fact: string]: string }, fact: string): string {
  const sql = statements[fact];
  if (sql === undefined) throw new Error(`Nothing asks for ${fact}`);
  return sql;
}
