import type { ResultCounts, RunVerdict } from '../domain/verdict.ts';
import { counted, grouped, passPercent, sharePercent, stopWords } from './phrases.ts';
import type { Summary } from './summary.ts';

/** Verdict first: a sign, the word and the reason in numbers. The sign is never the only signal. */
export type Headline = { readonly icon: string; readonly word: string; readonly reason: string };

/** `quote` makes the options that a user typed harmless for where the headline will stand. */
export function headlineOf(summary: Summary, quote: (text: string) => string = (text) => text): Headline {
  const { icon, word, isProgress } = runSign(summary);
  const words = [
    isProgress ? `${word} ${progress(summary)}` : word,
    ...(summary.selection === null ? [] : ['of a part']),
    ...(summary.models.some((model) => model.provider === 'simulated') ? ['(simulated)'] : []),
  ];
  return { icon, word: words.join(' '), reason: reasons(summary, quote).join(' · ') };
}

type Sign = { readonly icon: string; readonly word: string /** How far it is belongs to it. */; readonly isProgress?: true };

const VERDICTS = {
  pass: { icon: '✅', word: 'PASS' },
  fail: { icon: '❌', word: 'FAIL' },
  incomplete: { icon: '⚠️', word: 'INCOMPLETE' },
};

/** What a person does next depends first on why a run is over or stands still, then on its numbers. */
export function runSign(summary: Summary): Sign {
  const { verdict, run, results } = summary;
  if (run.state === 'cancelled') return { icon: '⏹️', word: 'CANCELLED', isProgress: true };
  return verdict === null ? unfinished(summary) : verdictSign(verdict, results);
}

/** A run whose gate is met because nothing passed or failed did not pass: the same word wherever a verdict is told to a person. */
export function verdictSign(verdict: RunVerdict, results: Pick<ResultCounts, 'pass' | 'fail' | 'review'>): Sign {
  if (verdict === 'incomplete' || results.pass + results.fail > 0) return VERDICTS[verdict];
  return results.review > 0 ? { icon: '⏸️', word: 'TO REVIEW' } : { icon: '⚠️', word: 'NOTHING JUDGED' };
}

/** Rows and files do not tell whether somebody works on it: a worker may have died, so nothing says that it runs. */
function unfinished({ run, stoppedBy }: Summary): Sign {
  if (run.state === 'planning') return { icon: '⏳', word: 'PLANNING' };
  if (run.state === 'paused') return { icon: '⏸️', word: 'PAUSED', isProgress: true };
  if (stoppedBy.some(({ why }) => why.startsWith('budget_'))) return { icon: '⏸️', word: 'BUDGET REACHED', isProgress: true };
  if (stoppedBy.length > 0) return { icon: '⏹️', word: 'STOPPED', isProgress: true };
  return { icon: '⏳', word: 'UNFINISHED', isProgress: true };
}

function progress({ jobs }: Summary): string {
  return `${grouped(jobs.total - jobs.open - jobs.cancelled)}/${grouped(jobs.total)}`;
}

function reasons(summary: Summary, quote: (text: string) => string): readonly string[] {
  const { verdict, results, run, stoppedBy } = summary;
  return [
    ...partPhrase(summary, quote),
    ...(verdict === null && run.state === 'open' ? stopWords(stoppedBy) : []),
    ...(verdict === 'incomplete' ? gaps(summary) : []),
    ratePhrase(summary),
    // A run that passes may have answers that nobody could judge, and still wait for a person.
    ...(verdict !== 'incomplete' && results.error > 0 ? [`${grouped(results.error)} not evaluated`] : []),
    ...(results.review > 0 ? [`⏸ ${grouped(results.review)} to review`] : []),
  ];
}

const LONGEST_OPTIONS = 80;

/** `1 of 5 jobs (--first 1)`. */
function partPhrase({ selection }: Summary, quote: (text: string) => string): readonly string[] {
  if (selection === null) return [];
  const { jobs, of, options } = selection;
  const typed = options.length > LONGEST_OPTIONS ? `${options.slice(0, LONGEST_OPTIONS)}…` : options;
  const share = of === null ? counted(jobs, 'selected job') : `${grouped(jobs)} of ${counted(of, 'job')}`;
  return [typed === '' ? share : `${share} (${quote(typed)})`];
}

/** Why the numbers are not those of the whole run. */
function gaps({ results, jobs, gate, run }: Summary): readonly string[] {
  const unevaluated = results.error + results.open;
  const allowed = gate.maxErrorRate > 0 ? `, ${sharePercent(gate.maxErrorRate)} allowed` : '';
  return [
    ...(run.state === 'cancelled' ? ['incomplete'] : []),
    ...(unevaluated > 0 ? [`${grouped(unevaluated)} of ${counted(results.total, 'result')} not evaluated${allowed}`] : []),
    ...(jobs.open > 0 ? [`${grouped(jobs.open)} of ${counted(jobs.total, 'job')} missing`] : []),
  ];
}

function ratePhrase({ results, gate, verdict }: Summary): string {
  const percent = passPercent(results);
  const bar = `(gate ${sharePercent(gate.minPassRate)})`;
  if (percent === null) return `no result passed or failed ${bar}`;
  return `${percent} pass${verdict === null ? ' so far' : ''} ${bar}`;
}
