import { canonicalJson } from '../../domain/canonical-json.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import { advised } from '../../domain/next-step.ts';
import type { StoredAnswer } from '../../store/key-facts.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { counted, dayAndClock, isoTime, money } from '../terminal/format.ts';
import { callsInJob } from './plan-list.ts';
import type { Prepared } from './prepare.ts';
import type { Nearest, Why, WhyStep } from './why.ts';

type Prepares = Pick<Prepared, 'manifest'>;

/** Why a job would be asked, or served, for a person; `run` is the command that would do it. */
export function whyLines(prepared: Prepares, why: Why, run: string): string[] {
  const { job, fate } = why.fate;
  const name = `${oneLine(rowLabel(prepared, job), LONGEST)} (${shortJobId(job.jobId)})`;
  if (job.failure !== null) {
    const { what, next } = advised(job.failure);
    return [
      `${name} cannot be asked: ${job.failure.reason}: ${oneLine(what, LONGEST)}`,
      ...(next === null ? [] : [`next: ${oneLine(next, LONGEST)}`]),
    ];
  }
  const head = { cached: 'is known and would be served for nothing', known_bad: 'is known to be bad and would not be asked again' };
  const calls = counted(why.fate.ask.length + why.fate.later.length, 'call');
  const first = fate === 'cached' || fate === 'known_bad' ? `${name} ${head[fate]}` : `${name} would be asked: ${calls}${ofAll(why)}`;
  return [first, ...why.steps.flatMap((step, index) => stepLines(prepared, why, step, index)), ...nextLines(why, run)];
}

const LONGEST = 1000;
const LONGEST_TEXT = 60;

function ofAll({ fate, steps }: Why): string {
  const known = steps.filter(({ state }) => state === 'known').length;
  if (steps.length < 2) return fate.job.later.length > 0 && known === steps.length ? ', to reduce the answers of its parts' : '';
  return ` of ${callsInJob(fate.job)}; ${known} of ${counted(steps.length, 'part')} known`;
}

/** Of parts, each thing that is said once is enough. */
function stepLines({ manifest }: Prepares, why: Why, step: WhyStep, index: number): string[] {
  const isSaid = why.steps.findIndex((other) => other.state === step.state) < index;
  if (isSaid) return [];
  const which = step.part === null ? '' : `part ${step.part + 1}: `;
  const { answer, bad } = step.fact;
  switch (step.state) {
    case 'known':
      return answer === null ? [] : [`${which}answer ${answerText(answer)}`];
    case 'too_old':
      return answer === null ? [] : [`${which}its answer is too old (cache.ttlDays = ${manifest.cache.ttlDays}): ${answerText(answer)}`];
    case 'unused':
      return [`${which}what is known of it is not used (cache.mode = ${manifest.cache.mode})`];
    case 'known_bad':
      return bad === null
        ? []
        : [`${which}${bad.reason}: ${oneLine(bad.message, LONGEST)}${bad.runId === null ? '' : `, in ${bad.runId}`}`];
    case 'unknown':
      return step.nearest === null ? [`${which}no answer to a question like it is stored`] : nearestLines(manifest, which, step.nearest);
  }
}

function answerText({ runId, jobId, imported, storedAtMs, costNanoUsd }: StoredAnswer): string {
  const cost = costNanoUsd === null ? 'at an unknown cost' : `for ${money(costNanoUsd)}`;
  return `of ${oneLine(runId)}, job ${oneLine(shortJobId(jobId))}, stored ${dayAndClock(storedAtMs)} ${cost}${imported ? ', imported' : ''}`;
}

function nearestLines({ privacy }: Prepared['manifest'], which: string, { answer, differences, texts }: Nearest): string[] {
  const told = texts.map(({ what, at }) => [what, textText(what, at, privacy.evidence === 'none')] as const);
  const isExplained = texts.length > 0;
  const others = differences
    .filter(({ part }) => !(isExplained && (part === 'prompt' || part === 'system')) && !texts.some(({ what }) => what === part))
    .map(({ part, mine, theirs }) => [part, HASHED.has(part) ? 'another text' : `${valueText(theirs)} → ${valueText(mine)}`] as const);
  const rows = [...told, ...others];
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return [
    `${which}nearest stored answer: ${answerText(answer)}`,
    'not the same as there:',
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
  ];
}

const HASHED: ReadonlySet<string> = new Set(['prompt', 'system', 'output.schema']);

function textText(what: string, at: Nearest['texts'][number]['at'], isPrivate: boolean): string {
  if (at === null) return what === 'part' ? 'it begins or ends elsewhere' : 'its text changed';
  const line = `line ${at.line}`;
  return what === 'document' && isPrivate ? line : `${line}: ${quoted(at.theirs)} → ${quoted(at.mine)}`;
}

function quoted(text: string | null): string {
  return text === null ? '(none)' : JSON.stringify(oneLine(text, LONGEST_TEXT));
}

function valueText(value: Parameters<typeof canonicalJson>[0]): string {
  return value === null ? '(none)' : oneLine(canonicalJson(value), LONGEST_TEXT);
}

function nextLines({ fate, steps }: Why, run: string): string[] {
  if (fate.fate !== 'known_bad') return [`next: ${run}`];
  const bad = steps.find(({ fact }) => fact.bad !== null && fact.bad.runId !== null)?.fact.bad;
  return bad?.runId == null ? [] : [`next: aieval retry ${bad.runId}${bad.jobId === null ? '' : ` --job ${shortJobId(bad.jobId)}`}`];
}

/** The same for scripts. */
export function whyRecord({ manifest }: Prepares, { fate, steps }: Why): object {
  const { job } = fate;
  return {
    v: 1,
    job: { jobId: job.jobId, document: job.documentId, task: job.task, model: job.model, repeat: job.repeat },
    fate: fate.fate,
    error: job.failure,
    steps: steps.map(({ part, state, fact, nearest }) => ({
      part,
      state,
      answer: fact.answer === null ? null : answerRecord(fact.answer),
      bad: fact.bad === null ? null : { reason: fact.bad.reason, message: fact.bad.message, run: fact.bad.runId, jobId: fact.bad.jobId },
      nearest:
        nearest === null
          ? null
          : {
              ...answerRecord(nearest.answer),
              differences: nearest.differences,
              texts: nearest.texts.map((text) => textRecord(text, manifest)),
            },
    })),
  };
}

function textRecord({ what, at }: Nearest['texts'][number], { privacy }: Prepared['manifest']): object {
  return { what, at: what === 'document' && at !== null && privacy.evidence === 'none' ? { ...at, mine: null, theirs: null } : at };
}

function answerRecord({ runId, jobId, imported, storedAtMs, costNanoUsd }: StoredAnswer): object {
  return { run: runId, jobId, imported, storedAt: isoTime(storedAtMs), costUsd: costNanoUsd === null ? null : usdOf(costNanoUsd) };
}
