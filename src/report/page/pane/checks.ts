import type { Score } from '../../../domain/score.ts';
import { counted } from '../../phrases.ts';
import { cutText, el, visible } from '../dom.ts';

const EXPLANATION_LENGTH = 1000;
const VALUE_LENGTH = 300;
const SIGNS = { pass: '✓', fail: '✗', review: '?' };

/** What each check says, the ones that did not pass first and in full. */
export function checksSection(scores: readonly Score[]): HTMLElement | null {
  if (scores.length === 0) return null;
  const bad = scores.filter(({ verdict }) => verdict !== 'pass');
  const good = scores.filter(({ verdict }) => verdict === 'pass');
  return el(
    'section',
    { class: 'checks' },
    el('h3', {}, 'Checks'),
    bad.length === 0 ? null : el('ul', {}, ...bad.map(check)),
    good.length === 0
      ? null
      : el('details', {}, el('summary', {}, `✓ ${counted(good.length, 'check')} passed`), el('ul', {}, ...good.map(check))),
  );
}

function check({ check: name, type, severity, verdict, value, explanation }: Score): HTMLElement {
  // Of quotes the value is their share that stands: the explanation and the cards say it better.
  const shown = type === 'evidence' ? null : JSON.stringify(value);
  return el(
    'li',
    { class: `check is-${verdict}${severity === 'warn' ? ' is-warn' : ''}` },
    el('span', { class: 'badge' }, `${SIGNS[verdict]} ${verdict}`),
    el('b', {}, visible(name)),
    el(
      'small',
      {},
      type === name ? '' : `${type} `,
      severity === 'warn' ? 'warns only ' : '',
      shown === null ? null : 'value ',
      shown === null ? null : cutText(shown, VALUE_LENGTH),
    ),
    explanation === '' ? null : el('p', {}, cutText(explanation, EXPLANATION_LENGTH)),
  );
}
