/** One guard removed: the test that must notice. */
export type Mutant = {
  /** What is gone. */
  readonly guard: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly test: string;
  /** Part of the title of the test that must turn red. */
  readonly title: string;
};

const SQLITE = 'src/store/sqlite';
const CONTRACT = 'test/store/sqlite/contract.test.ts';
const POSTGRES = 'src/store/postgres';
const PROCESSES = 'test/store/postgres/concurrency.test.ts';
const COMMITS = 'test/store/postgres/transactor.test.ts';

/** The guards of durable work. A suite that stays green without one of them is blind to it. */
export const MUTANTS: readonly Mutant[] = [
  {
    guard: 'the token: a settle finds its step by the lease, not by the step',
    file: `${SQLITE}/steps/step-row.ts`,
    find: `WHERE s.lease_token = :token AND s.state = 'running'`,
    replace: `WHERE s.step_id IN (SELECT a.step_id FROM attempts a WHERE a.call_token = :token
  UNION SELECT c.step_id FROM calls c WHERE c.call_token = :token) AND s.state = 'running'`,
    test: CONTRACT,
    title: 'a stale token settles nothing',
  },
  {
    guard: 'the immediate transaction: the lock is had before anything is read',
    file: `${SQLITE}/transactor.ts`,
    find: `this.#sql.run('BEGIN IMMEDIATE')`,
    replace: `this.#sql.run('BEGIN')`,
    test: 'test/store/sqlite/transactor.test.ts',
    title: 'no operation runs before the lock is held',
  },
  {
    guard: 'the reaper: a lease that only the clock says has run out is not taken',
    file: 'src/domain/lease.ts',
    find: 'return ranOut(lease) && lease.unchangedMs >= lease.ttlMs;',
    replace: 'return ranOut(lease);',
    test: 'test/store/sqlite/steps/clock.test.ts',
    title: 'nobody takes the step of a worker that lives',
  },
  {
    guard: 'the reaper: a lease that was renewed is not taken, however long it is known',
    file: 'src/store/lease-watch.ts',
    find: 'return seen?.expiresAtMs === expiresAtMs ? this.#watchedMs() - seen.sinceMs : 0;',
    replace: 'return seen === undefined ? 0 : this.#watchedMs() - seen.sinceMs;',
    test: 'test/store/lease-watch.test.ts',
    title: 'starts anew with each renewal',
  },
  {
    guard: 'one reduce of a job at a time',
    file: `${SQLITE}/schema/migration-6-parts.ts`,
    find: 'CREATE UNIQUE INDEX steps_one_reduce ON',
    replace: 'CREATE INDEX steps_one_reduce ON',
    test: 'test/store/sqlite/schema/constraints.test.ts',
    title: 'a second reduce of a job',
  },
  {
    guard: 'answers that were reduced are not reduced again',
    file: `${SQLITE}/steps/settle-reduce.ts`,
    find: 'if (tx.sql.one(IS_REDUCED, { runId, jobId }) !== undefined)',
    replace: `if (tx.sql.one(IS_REDUCED, { runId, jobId: '' }) !== undefined)`,
    test: CONTRACT,
    title: 'a job that is reduced is not reduced again',
  },
  {
    guard: 'for a cancelled job nothing is reduced',
    file: `${SQLITE}/steps/settle-reduce.ts`,
    find: `return outlook === 'open' ||`,
    replace: `return outlook !== 'ended' ||`,
    test: CONTRACT,
    title: 'of a job that is cancelled while its parts are merged nothing more is called',
  },
  {
    guard: 'a reduce is left when its parts are asked anew',
    file: `${SQLITE}/runs/requeue.ts`,
    find: "if (step.kind === 'reduce' || step.kind === 'finish') leaveStep(tx, fresh);",
    replace: "if (step.kind === 'finish') leaveStep(tx, fresh);",
    test: CONTRACT,
    title: 'new answers are asked of all parts',
  },
  {
    guard: 'a reduce of an earlier round is history',
    file: 'src/store/asked-again.ts',
    find: 'return others.length > 0 ? others : lost.slice(-1);',
    replace: 'return lost;',
    test: CONTRACT,
    title: 'a reduce of an earlier round is never asked again',
  },
  {
    guard: 'a re-ask asks the part that it mends',
    file: `${SQLITE}/steps/settle-answer.ts`,
    find: '  copyInput(tx, step.stepId);',
    replace: '',
    test: CONTRACT,
    title: 'a step is claimed with the part that it asks, and its re-ask with the same',
  },
  {
    guard: 'the clock is read after the lock is held',
    file: `${SQLITE}/transactor.ts`,
    find: `    this.#sql.run('BEGIN IMMEDIATE');
    try {
      const { clock, onLockRetry: _, ...context } = this.#context;
      const tx: Tx = { sql: this.#sql, nowMs: clock(), ...context };`,
    replace: `    const { clock, onLockRetry: _, ...context } = this.#context;
    const nowMs = clock();
    this.#sql.run('BEGIN IMMEDIATE');
    try {
      const tx: Tx = { sql: this.#sql, nowMs, ...context };`,
    test: 'test/store/sqlite/transactor.test.ts',
    title: 'the clock is read after the lock is held',
  },
  {
    guard: 'the unique index of flights',
    file: `${SQLITE}/schema/migration-1-tables.ts`,
    find: 'CREATE UNIQUE INDEX steps_one_flight ON',
    replace: 'CREATE INDEX steps_one_flight ON',
    test: 'test/store/sqlite/schema/constraints.test.ts',
    title: 'two running steps of one key, over all runs',
  },
  {
    guard: 'suspects: a process holds one at a time',
    file: `${SQLITE}/steps/claim.ts`,
    find: 'suspectHeld: holdsSuspect(tx, workerId) ? 1 : 0,',
    replace: 'suspectHeld: 0,',
    test: CONTRACT,
    title: 'a worker holds at most one suspect',
  },
  {
    guard: 'suspects: a death is charged to the suspect alone',
    file: `${SQLITE}/steps/reap.ts`,
    find: 'const charged = !suspectHeld || step.suspect === 1;',
    replace: 'const charged = true;',
    test: CONTRACT,
    title: 'a death with a suspect charges the suspect alone',
  },
  {
    guard: 'the index of run identities',
    file: `${SQLITE}/schema/migration-1-tables.ts`,
    find: 'CREATE UNIQUE INDEX runs_one_unfinished ON',
    replace: 'CREATE INDEX runs_one_unfinished ON',
    test: 'test/store/sqlite/schema/constraints.test.ts',
    title: 'two unfinished runs of one identity',
  },
  {
    guard: 'the counters change in the transaction of the rows that they sum',
    file: `${SQLITE}/schema/migration-2-totals.ts`,
    find: 'CREATE TRIGGER totals_job_moved AFTER UPDATE OF state, verdict, cached ON jobs BEGIN',
    replace: 'CREATE TRIGGER totals_job_moved AFTER UPDATE OF verdict, cached ON jobs BEGIN',
    test: 'test/store/sqlite/model.test.ts',
    title: 'the rows stay true',
  },
  {
    guard: 'a paid answer that nobody has judged is judged, not asked again',
    file: `${SQLITE}/steps/claim.ts`,
    find: 'if (unjudged !== null) return takeJudge(claimer, call, unjudged);',
    replace: 'if (unjudged !== null && call.gate === null) closeGate(tx, call);',
    test: CONTRACT,
    title: 'its paid response is kept and used',
  },
  {
    guard: 'a call is durably sent before it leaves: the attempt counts',
    file: `${SQLITE}/steps/settle.ts`,
    find: '  countAttempt(tx, step.runId, step.failureKey);',
    replace: '',
    test: CONTRACT,
    title: 'a transient failure fails the job after its attempts',
  },
  {
    guard: 'the deadline moves with the clock',
    file: `${SQLITE}/workers/renew.ts`,
    find: 'if (jumpMs !== 0)',
    replace: 'if (jumpMs > Number.MAX_SAFE_INTEGER)',
    test: 'test/store/sqlite/steps/clock.test.ts',
    title: 'its deadline moves with the clock',
  },
  {
    guard: 'a second living host is refused',
    file: `${SQLITE}/workers/host-watch.ts`,
    find: "if (seen.beatAtMs !== beatAtMs) return 'alive';",
    replace: '',
    test: 'test/store/sqlite/workers/second-host.test.ts',
    title: 'is refused while the other one beats',
  },
  {
    guard: 'a half-planned run cannot finish',
    file: `${SQLITE}/runs/runs.ts`,
    find: `WHERE run_id = :runId AND state = 'open' AND planned_at_ms IS NOT NULL`,
    replace: `WHERE run_id = :runId AND state IN ('planning', 'open')`,
    test: CONTRACT,
    title: 'a half-planned run cannot finish',
  },
  {
    guard: 'PostgreSQL: lanes are locked before anything is counted',
    file: `${POSTGRES}/locks.ts`,
    find: 'ORDER BY l.lane_id FOR NO KEY UPDATE',
    replace: 'ORDER BY l.lane_id',
    test: PROCESSES,
    title: 'start no more calls together than a lane that their runs share gives',
  },
  {
    guard: 'PostgreSQL: the cap over all runs is locked before anything is counted',
    file: `${POSTGRES}/locks.ts`,
    find: `AND s.name = 'maxRunning' FOR NO KEY UPDATE`,
    replace: `AND s.name = 'maxRunning'`,
    test: PROCESSES,
    title: 'start no more than maxRunning together',
  },
  {
    guard: 'PostgreSQL: the group of a budget is locked before anything is reserved',
    file: `${POSTGRES}/locks.ts`,
    find: 'ORDER BY g.group_name FOR NO KEY UPDATE',
    replace: 'ORDER BY g.group_name',
    test: PROCESSES,
    title: 'reserve no more of a group than it may spend',
  },
  {
    guard: 'PostgreSQL: the unique index of flights',
    file: `${POSTGRES}/schema/migration-1-tables.ts`,
    find: 'CREATE UNIQUE INDEX steps_one_flight ON',
    replace: 'CREATE INDEX steps_one_flight ON',
    test: PROCESSES,
    title: 'ask a question once',
  },
  {
    guard: 'PostgreSQL: the clock is read when the locks are held',
    file: `${POSTGRES}/locks.ts`,
    find: 'epoch FROM clock_timestamp()',
    replace: 'epoch FROM now()',
    test: COMMITS,
    title: 'reads the clock when its locks are held',
  },
  {
    guard: 'PostgreSQL: a commit whose answer was lost is looked for before the work is done again',
    file: `${POSTGRES}/transactor.ts`,
    find: 'if (done.lost !== null && !(await this.#isCommitted({ slot, xactId: done.xactId }))) throw done.lost;',
    replace: 'if (done.lost !== null) throw done.lost;',
    test: COMMITS,
    title: 'does every verb of work once, when the commit arrives',
  },
  {
    guard: 'PostgreSQL: the number of a transaction is no proof of its commit',
    file: `${POSTGRES}/commit-marks.ts`,
    find: `if ((await xactStatus(client, xactId)) === 'in progress') return null;`,
    replace: `const status = await xactStatus(client, xactId);
    if (status !== null) return status === 'in progress' ? null : status === 'committed';`,
    test: 'test/store/postgres/server-crash.test.ts',
    title: 'a transaction that a crash of the server undid is done again',
  },
];
