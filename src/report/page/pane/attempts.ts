import type { ReportAttempt, ReportJob } from '../../html/report-data.ts';
import { counted, duration, usd } from '../../phrases.ts';
import { cutText, el, visible } from '../dom.ts';
import { plainWord } from '../words.ts';

const MESSAGE_LENGTH = 500;
const HEADS = ['Step', '#', 'Outcome', 'Started (UTC)', 'Took', 'Cost'];

/** Every try, with its time and its cost. */
export function attemptsSection(job: ReportJob): HTMLElement | null {
  const attempts = callAttempts(job);
  if (attempts.length === 0) return null;
  const head = el('tr', {}, ...HEADS.map((name) => el('th', { attributes: { scope: 'col' } }, name)));
  const table = el('table', { class: 'plain' }, el('thead', {}, head), el('tbody', {}, ...attempts.map(row)));
  const failed = attempts.filter(({ reason }) => reason !== null).length;
  const note = `${counted(attempts.length, 'attempt')}${failed === 0 ? '' : `, ${failed} failed`}`;
  return el(
    'details',
    { class: 'part', attributes: failed > 0 ? { open: '' } : {} },
    el('summary', {}, el('h3', {}, 'Attempts'), el('small', {}, note)),
    el('div', { class: 'scroll' }, table),
  );
}

/** Those that asked a model: the step that judges the answer is none. */
function callAttempts({ attempts }: Pick<ReportJob, 'attempts'>): readonly ReportAttempt[] {
  return attempts.filter(({ step }) => !step.startsWith('finish'));
}

function row({ step, number, outcome, reason, message, startedAt, tookMs, costUsd }: ReportAttempt): HTMLElement {
  const why = reason === null ? '' : `: ${plainWord(reason)}`;
  return el(
    'tr',
    {},
    el('td', {}, visible(step)),
    el('td', {}, String(number)),
    el('td', {}, visible(`${outcome}${why}`), message === null ? null : el('p', {}, cutText(message, MESSAGE_LENGTH))),
    el('td', {}, startedAt.slice(0, 19).replace('T', ' ')),
    el('td', {}, duration(tookMs)),
    el('td', {}, costUsd === null ? '–' : usd(costUsd)),
  );
}
