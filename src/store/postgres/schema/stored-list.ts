import { COMMIT_MARK_STATEMENTS } from '../commit-marks.ts';
import { LOCK_STATEMENTS } from '../locks.ts';
import { BUDGET_STATEMENTS } from '../runs/budget.ts';
import { JOBS_STATEMENTS } from '../runs/jobs.ts';
import { PROGRESS_STATEMENTS } from '../runs/progress.ts';
import { RUN_FACTS_STATEMENTS } from '../runs/run-facts.ts';
import { ADVANCE_STATEMENTS } from '../steps/advance.ts';
import { ALIVE_STATEMENTS } from '../steps/alive.ts';
import { ANSWERS_STATEMENTS } from '../steps/answers.ts';
import { ATTEMPTS_STATEMENTS } from '../steps/attempts.ts';
import { CLAIM_STATEMENTS } from '../steps/claim.ts';
import { CLAIMED_WORK_STATEMENTS } from '../steps/claimed-work.ts';
import { FAILURES_STATEMENTS } from '../steps/failures.ts';
import { GATES_STATEMENTS } from '../steps/gates.ts';
import { LANE_NEWS_STATEMENTS } from '../steps/lane-news.ts';
import { LANES_STATEMENTS } from '../steps/lanes.ts';
import { LEASES_STATEMENTS } from '../steps/leases.ts';
import { LEDGER_STATEMENTS } from '../steps/ledger.ts';
import { PARKING_STATEMENTS } from '../steps/parking.ts';
import { PAUSES_STATEMENTS } from '../steps/pauses.ts';
import { PREFIXES_STATEMENTS } from '../steps/prefixes.ts';
import { QUEUE_STATEMENTS } from '../steps/queue.ts';
import { REAP_STATEMENTS } from '../steps/reap.ts';
import { RESPONSES_STATEMENTS } from '../steps/responses.ts';
import { SETTLE_STATEMENTS } from '../steps/settle.ts';
import { SETTLE_ANSWER_STATEMENTS } from '../steps/settle-answer.ts';
import { STEP_ROW_STATEMENTS } from '../steps/step-row.ts';
import { WAITING_STATEMENTS } from '../steps/waiting.ts';
import { type StoredStatement, storedStatements } from '../stored-statement.ts';
import { WORKERS_STATEMENTS } from '../workers/workers.ts';

/** What a job goes through from its claim to its verdict: each of these is run for each job. */
export const STORED: readonly StoredStatement[] = storedStatements([
  LOCK_STATEMENTS,
  COMMIT_MARK_STATEMENTS,
  CLAIM_STATEMENTS,
  CLAIMED_WORK_STATEMENTS,
  QUEUE_STATEMENTS,
  GATES_STATEMENTS,
  LANES_STATEMENTS,
  PREFIXES_STATEMENTS,
  WAITING_STATEMENTS,
  PAUSES_STATEMENTS,
  LANE_NEWS_STATEMENTS,
  STEP_ROW_STATEMENTS,
  LEDGER_STATEMENTS,
  ATTEMPTS_STATEMENTS,
  SETTLE_STATEMENTS,
  SETTLE_ANSWER_STATEMENTS,
  ADVANCE_STATEMENTS,
  ANSWERS_STATEMENTS,
  RESPONSES_STATEMENTS,
  ALIVE_STATEMENTS,
  LEASES_STATEMENTS,
  REAP_STATEMENTS,
  FAILURES_STATEMENTS,
  PARKING_STATEMENTS,
  BUDGET_STATEMENTS,
  PROGRESS_STATEMENTS,
  RUN_FACTS_STATEMENTS,
  JOBS_STATEMENTS,
  WORKERS_STATEMENTS,
]);
