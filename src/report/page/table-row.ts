import { duration, grouped, usd } from '../phrases.ts';
import { el, pathName } from './dom.ts';
import { shortNote } from './logic/note.ts';
import type { IndexedRow } from './logic/rows.ts';
import type { Column } from './logic/view.ts';
import { visibleString } from './logic/visible-text.ts';
import { plainWord, TONE_SIGNS, VERDICT_WORDS } from './words.ts';

/** Heads of the columns. */
export const HEADS: { readonly [C in Column]: string } = {
  verdict: 'Verdict',
  document: 'Document',
  task: 'Task',
  model: 'Model',
  note: 'What is wrong',
  quotes: 'Quotes',
  cost: 'Cost',
  time: 'Time',
  tries: 'Tries',
  cached: 'Cache',
};

const NOTE_LENGTH = 400;

/** One line of the table; `line` is its place in what is selected. */
export function tableRow(row: IndexedRow, line: number, isActive: boolean, isOpen: boolean): HTMLTableRowElement {
  const element = el(
    'tr',
    {
      id: `row-${line}`,
      class: `${isActive ? 'is-active' : ''}${isOpen ? ' is-open' : ''}`,
      attributes: { 'aria-rowindex': String(line + 2), 'aria-selected': String(isActive) },
    },
    ...cells(row),
  );
  element.dataset.line = String(line);
  return element;
}

function cells({ row, verdict, document, name, model: asked }: IndexedRow): HTMLElement[] {
  const { sign, word, short = word } = VERDICT_WORDS[verdict];
  const model = visibleString(asked);
  const task = visibleString(row.task);
  const note = noteOf(shortNote(row.note), row.reason);
  return [
    el(
      'td',
      { class: `c-verdict is-${verdict}`, title: word },
      el('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, sign),
      el('span', { class: 'word' }, ` ${short}`),
    ),
    documentCell(visibleString(document), visibleString(name), note === '' ? `${task} · ${model}` : `${note} — ${task} · ${model}`),
    textCell('task', task),
    textCell('model', model),
    textCell('note', note, visibleString(row.note)),
    el('td', { class: 'c-quotes' }, ...quoteCounts(row.quotes)),
    el('td', { class: 'c-cost' }, row.costUsd === null ? '–' : usd(row.costUsd)),
    el('td', { class: 'c-time' }, row.latencyMs === null ? '–' : duration(row.latencyMs)),
    el('td', { class: 'c-tries' }, grouped(row.attempts)),
    el('td', { class: 'c-cached' }, row.cached ? 'cached' : ''),
  ];
}

function noteOf(note: string, reason: string | null): string {
  const text = note.length > NOTE_LENGTH ? `${note.slice(0, NOTE_LENGTH)}…` : note;
  return visibleString(text === '' && reason !== null ? plainWord(reason) : text);
}

function textCell(column: Column, text: string, whole = text): HTMLElement {
  return el('td', { class: `c-${column}`, title: whole === '' ? text : whole }, el('bdi', {}, text));
}

/** `below`: shown where there is no room for columns of their own. */
function documentCell(whole: string, name: string, below: string): HTMLElement {
  return el('td', { class: 'c-document', title: whole }, pathName(name), el('span', { class: 'under' }, below));
}

function quoteCounts([verified, near, rejected]: readonly [number, number, number]): HTMLElement[] {
  const counts = [
    { tone: 'rejected', count: rejected, word: 'rejected' },
    { tone: 'near', count: near, word: 'near' },
    { tone: 'verified', count: verified, word: 'verified' },
  ] as const;
  return counts.flatMap(({ tone, count, word }) =>
    count === 0
      ? []
      : [
          el(
            'span',
            { class: `q is-${tone}`, title: `${count} ${word}` },
            `${TONE_SIGNS[tone]}${count}`,
            el('span', { class: 'spoken' }, ` ${word} `),
          ),
        ],
  );
}
