import type { ResultLine } from '../domain/result-line.ts';
import { boundedList } from './bounded-list.ts';
import { coverageTally } from './coverage-tally.ts';
import { evidenceCount } from './evidence-count.ts';
import { jobRef } from './result-group.ts';
import type { Cost, IndexEntry, SlowJob, Summary } from './summary.ts';

const SLOWEST_KEPT = 5;
const INDEX_KEPT = 100;
const NANO = 1e9;

type JobPart = Pick<Summary, 'jobs' | 'effort' | 'cost' | 'tokens' | 'evidence' | 'coverage' | 'warnings' | 'slowest' | 'index'>;

/** Everything that counts jobs, not results. */
export function jobTally(): { add(line: ResultLine): void; finish(planned: number): JobPart } {
  const jobs = { total: 0, open: 0, succeeded: 0, failed: 0, cancelled: 0, cached: 0 };
  const effort = { calls: 0, attempts: 0, retries: 0, reasked: 0, repaired: 0 };
  const tokens = { input: 0, cachedInput: 0, output: 0 };
  const cost = costTally();
  const evidence = evidenceCount();
  const coverage = coverageTally();
  const slowest = boundedList<SlowJob>(SLOWEST_KEPT, (a, b) => b.latencyMs - a.latencyMs);
  const index = boundedList<IndexEntry>(INDEX_KEPT);
  let warnings = 0;
  return {
    add(line) {
      jobs.total += 1;
      jobs[line.state === 'queued' || line.state === 'running' ? 'open' : line.state] += 1;
      jobs.cached += Number(line.cached);
      addEffort(effort, line);
      addTokens(tokens, line);
      cost.add(line);
      coverage.add(line);
      for (const score of line.scores) {
        warnings += Number(score.severity === 'warn' && score.verdict === 'fail');
        evidence.add(score);
      }
      if (line.latencyMs !== null && !line.cached) slowest.add({ ...jobRef(line), latencyMs: line.latencyMs });
      if (line.artifacts !== null) index.add({ ...jobRef(line), repeat: line.repeat, state: line.state, verdict: line.verdict });
    },
    finish(planned) {
      const missing = Math.max(0, planned - jobs.total);
      return {
        jobs: { ...jobs, total: jobs.total + missing, open: jobs.open + missing },
        effort: { ...effort },
        cost: cost.finish(),
        tokens: { ...tokens },
        evidence: evidence.finish(),
        coverage: coverage.finish(),
        warnings,
        slowest: slowest.finish(),
        index: index.finish(),
      };
    },
  };
}

function addEffort(
  effort: { calls: number; attempts: number; retries: number; reasked: number; repaired: number },
  line: ResultLine,
): void {
  effort.calls += line.calls;
  effort.attempts += line.attempts;
  effort.retries += line.retries;
  effort.reasked += Number(line.reasked);
  effort.repaired += Number(line.repaired);
}

function addTokens(tokens: { input: number; cachedInput: number; output: number }, { usage }: ResultLine): void {
  tokens.input += usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
  tokens.cachedInput += usage.cacheRead;
  tokens.output += usage.output;
}

/** Sums in nano-USD: decimal fractions of a dollar do not add up exactly. */
function costTally(): { add(line: ResultLine): void; finish(): Cost } {
  let spentNanoUsd = 0;
  let priced = false;
  let unpricedJobs = 0;
  return {
    add({ calls, costUsd }) {
      if (calls === 0) return;
      if (costUsd === null) unpricedJobs += 1;
      else {
        priced = true;
        spentNanoUsd += Math.round(costUsd * NANO);
      }
    },
    finish: () => ({ spentUsd: priced || unpricedJobs === 0 ? spentNanoUsd / NANO : null, unpricedJobs }),
  };
}
