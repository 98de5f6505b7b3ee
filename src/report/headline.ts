import { counted, grouped, passPercent, sharePercent } from './phrases.ts';
import type { Summary } from './summary.ts';

/** Verdict first: a sign, the word and the reason in numbers. The sign is never the only signal. */
export type Headline = { readonly icon: string; readonly word: string; readonly reason: string };

export function headlineOf(summary: Summary): Headline {
  const simulated = summary.models.some((model) => model.provider === 'simulated');
  const { icon, word } = verdictWord(summary);
  return { icon, word: simulated ? `${word} (simulated)` : word, reason: reasons(summary).join(' · ') };
}

function verdictWord(summary: Summary): { icon: string; word: string } {
  if (summary.verdict === 'pass') return { icon: '✅', word: 'PASS' };
  if (summary.verdict === 'fail') return { icon: '❌', word: 'FAIL' };
  if (summary.verdict === 'incomplete') return { icon: '⚠️', word: 'INCOMPLETE' };
  const progress = `${grouped(summary.jobs.total - summary.jobs.open)}/${grouped(summary.jobs.total)}`;
  return summary.run.state === 'paused' ? { icon: '⏸️', word: `PAUSED ${progress}` } : { icon: '⏳', word: `RUNNING ${progress}` };
}

function reasons(summary: Summary): readonly string[] {
  const rate = ratePhrase(summary);
  if (summary.verdict !== 'incomplete') return [rate];
  const { results, jobs, gate, run } = summary;
  const unevaluated = results.error + results.open;
  const allowed = gate.maxErrorRate > 0 ? `, ${sharePercent(gate.maxErrorRate)} allowed` : '';
  return [
    ...(run.state === 'cancelled' ? ['cancelled'] : []),
    ...(unevaluated > 0 ? [`${grouped(unevaluated)} of ${counted(results.total, 'result')} not evaluated${allowed}`] : []),
    ...(jobs.open > 0 ? [`${grouped(jobs.open)} of ${counted(jobs.total, 'job')} missing`] : []),
    rate,
  ];
}

function ratePhrase({ results, gate, verdict }: Summary): string {
  const percent = passPercent(results);
  const bar = `(gate ${sharePercent(gate.minPassRate)})`;
  if (percent === null) return `no result passed or failed ${bar}`;
  return `${percent} pass${verdict === null ? ' so far' : ''} ${bar}`;
}
