import { passPercentage, type ResultCounts } from '../domain/verdict.ts';
import type { ModelEntry, ResultEntry, Summary } from './summary.ts';

/** `1 document`, `2,500 documents`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,234,567`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `950`, `12.3k`, `4.41M`: three digits are what a reader of a total wants. */
export function compact(count: number): string {
  if (count < 10_000) return grouped(count);
  const [value, unit] = count < 999_500 ? [count / 1e3, 'k'] : [count / 1e6, 'M'];
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)}${unit}`;
}

/** `85.0 %`, rounded down, so that a gate that was missed never looks met. `null` when nothing passed or failed. */
export function passPercent({ pass, fail }: { pass: number; fail: number }): string | null {
  const percentage = passPercentage({ pass, fail });
  return percentage === null ? null : `${percentage.toFixed(1)} %`;
}

/** `12`, or `12, showing 5` where a list is cut. */
export function shownOf(total: number, shown: number): string {
  return shown < total ? `${grouped(total)}, showing ${grouped(shown)}` : grouped(total);
}

/** A share from a manifest, as short as it was written: 0.8 → `80 %`. */
export function sharePercent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** `$1.18`, `$0.0042`, `$0.00`. */
export function usd(amount: number): string {
  return amount === 0 || amount >= 0.01 ? `$${amount.toFixed(2)}` : `$${Number(amount.toPrecision(2)).toFixed(9).replace(/0+$/, '')}`;
}

/** `850 ms`, `19.4 s`, `36 min`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `20 results: 10 pass, 4 fail, 4 not evaluated, 2 to review`. */
export function resultCounts(results: ResultCounts): string {
  const { pass, fail, error, review, open } = results;
  const parts = [`${grouped(pass)} pass`, `${grouped(fail)} fail`, `${grouped(error)} not evaluated`, `${grouped(review)} to review`];
  if (open > 0) parts.push(`${grouped(open)} open`);
  return `${counted(results.total, 'result')}: ${parts.join(', ')}`;
}

/** ` · 3 repeats: 1 pass, 2 fail`; empty where a task is asked once. */
export function repeatsPhrase({ repeats }: Pick<ResultEntry, 'repeats'>): string {
  const total = repeats.pass + repeats.fail + repeats.review + repeats.error;
  if (total < 2) return '';
  const parts = (['pass', 'fail', 'review', 'error'] as const).filter((verdict) => repeats[verdict] > 0);
  return ` · ${total} repeats: ${parts.map((verdict) => `${repeats[verdict]} ${verdict}`).join(', ')}`;
}

/** One sentence when results passed an evidence check with nothing to look up; `null` otherwise. */
export function unprovenSentence({ passedWithoutFinding, passedUnchecked }: Summary): string | null {
  const sentences = [
    ...(passedWithoutFinding === 0
      ? []
      : [`${counted(passedWithoutFinding, 'result')} passed without a single finding: nothing was claimed there, so nothing was proven.`]),
    ...(passedUnchecked === 0 ? [] : [`${counted(passedUnchecked, 'result')} passed unjudged: no check looked at the answer.`]),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Where the answers came from when no model, or not every model, was asked; `null` otherwise. */
export function provenanceSentence({ models }: Summary): string | null {
  const parts: string[] = [];
  const simulated = models.filter((model) => model.provider === 'simulated').length;
  const replayed = models.filter((model) => model.provider === 'replay').length;
  if (simulated > 0) parts.push(`${subject(simulated, models.length)} simulated: they say nothing about the documents.`);
  if (replayed > 0)
    parts.push(
      `${subject(replayed, models.length)} replayed from a cassette: no model was asked, and any cost is the price they would have.`,
    );
  return parts.length === 0 ? null : parts.join(' ');
}

function subject(count: number, total: number): string {
  return count === total ? 'The answers are' : `The answers of ${count} of ${total} models are`;
}

/** Jobs, calls, cost, tokens, cache and time, one phrase each. */
export function totals(summary: Summary): readonly string[] {
  const { jobs, effort, tokens, run } = summary;
  const states = [`${grouped(jobs.succeeded)} succeeded`, `${grouped(jobs.failed)} failed`, `${grouped(jobs.cancelled)} cancelled`];
  if (jobs.open > 0) states.push(`${grouped(jobs.open)} open`);
  return [
    `${counted(jobs.total, 'job')}: ${states.join(', ')}`,
    `${counted(effort.calls, 'call')}, ${counted(effort.attempts, 'attempt')} (${effort.retries === 1 ? '1 retry' : `${grouped(effort.retries)} retries`})`,
    `${grouped(effort.reasked)} re-asked, ${grouped(effort.repaired)} repaired`,
    costPhrase(summary),
    `tokens ${compact(tokens.input)} in${tokens.cachedInput > 0 ? ` (${compact(tokens.cachedInput)} cached)` : ''}, ${compact(tokens.output)} out`,
    `${grouped(jobs.cached)} of ${counted(jobs.total, 'job')} from cache`,
    ...(run.finishedAt === null ? [] : [duration(Math.max(0, Date.parse(run.finishedAt) - Date.parse(run.startedAt)))]),
  ];
}

/** `cost $1.18 (budget: $1.18 of $3.00)`. */
export function costPhrase({ cost, budget }: Pick<Summary, 'cost' | 'budget'>): string {
  const bounds = [
    ...(budget === null || budget.usd === null ? [] : [`${usd(budget.usd.used)} of ${usd(budget.usd.limit)}`]),
    ...(budget === null || budget.tokens === null ? [] : [`${compact(budget.tokens.used)} of ${compact(budget.tokens.limit)} tokens`]),
  ];
  const limit = bounds.length === 0 ? '' : ` (budget: ${bounds.join(', ')})`;
  if (cost.spentUsd === null) return `price unknown${limit}`;
  const unknown = cost.unpricedJobs > 0 ? ` + ${counted(cost.unpricedJobs, 'job')} of unknown price` : '';
  return `cost ${usd(cost.spentUsd)}${unknown}${limit}`;
}

/** `45 % of input from its cache, first token after 0.8 s, 63 tokens/s`; empty where no call tells. */
export function speedPhrase({ inputTokens, cachedInputTokens, firstTokenMs, tokensPerSecond }: ModelEntry): string {
  const parts = [
    ...(inputTokens === 0 || cachedInputTokens === 0
      ? []
      : [`${sharePercent(roundedShare(cachedInputTokens / inputTokens))} of input from its cache`]),
    ...(firstTokenMs === null ? [] : [`first token after ${duration(firstTokenMs)}`]),
    ...(tokensPerSecond === null ? [] : [`${tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : grouped(tokensPerSecond)} tokens/s`]),
  ];
  return parts.join(', ');
}

/** To a hundredth, but never nothing of something. */
function roundedShare(share: number): number {
  return Math.max(0.01, Math.round(share * 100) / 100);
}

const STOPS: { readonly [why: string]: string } = {
  budget_usd: 'budget.usd is reached',
  budget_tokens: 'budget.tokens is reached',
  budget_minutes: 'budget.minutes is reached',
  budget_group: 'the budget of the group is reached',
  fail_fast: 'failFast',
  tags: 'no worker has the tags that it needs',
};

/** The same in our own words alone, without names and messages: for a headline. */
export function stopWords(stoppedBy: Summary['stoppedBy']): readonly string[] {
  const words = stoppedBy.map(({ why }) => (Object.hasOwn(STOPS, why) ? STOPS[why] : undefined) ?? 'a provider is paused');
  return [...new Set(words)];
}

/** What keeps jobs from going on, without what a server said; `null` when nothing does. `quote` makes the provider's name harmless. */
export function stopSentence({ stoppedBy }: Summary, quote: (text: string) => string): string | null {
  if (stoppedBy.length === 0) return null;
  const reasons = stoppedBy.map(({ why, lane, until, message, tags }) => {
    if (tags !== undefined) return `no worker has the tags ${quote(tags.join(', '))}`;
    const stated = Object.hasOwn(STOPS, why) ? STOPS[why] : undefined;
    // What a limit of ours adds is our own text, but stands in a file that anybody may have written.
    if (stated !== undefined) return message === null ? stated : `${stated} (${quote(message)})`;
    const paused = `${lane === null ? 'a provider' : quote(lane)} is paused${until === null ? '' : ` until ${until.slice(0, 16).replace('T', ' ')} UTC`}`;
    return message === null ? paused : `${paused} (${quote(message)})`;
  });
  return `Stopped: ${[...new Set(reasons)].join('; ')}.`;
}
