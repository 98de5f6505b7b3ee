import type { ReportDocument, ReportJob, ReportMessage, ReportStep } from '../../html/report-data.ts';
import { counted } from '../../phrases.ts';
import type { ReportData } from '../data.ts';
import { cutText, el, visible } from '../dom.ts';
import { textBlock } from './answer.ts';

const TEXT_LENGTH = 6000;

/** What was asked, message by message, and what came where it is not the judged answer. Drawn when opened. */
export function stepsSection(data: ReportData, job: ReportJob, document: ReportDocument | null): HTMLElement | null {
  if (job.steps.length === 0) return null;
  const parts = job.steps.map((step) => lazyDetails(title(step), () => stepContent(data, step, document)));
  return el('section', { class: 'steps' }, el('h3', {}, 'Prompt'), ...parts);
}

function title({ name, kind, messages, raw }: ReportStep): string {
  const asked = messages === undefined ? 'messages not in this file' : counted(messages.length, 'message');
  return `${name}${name.startsWith(kind) ? '' : ` (${kind})`} · ${asked}${raw === undefined ? '' : ' · answer as it came'}`;
}

/** A part whose content is made when somebody opens it. */
function lazyDetails(title: string, content: () => readonly Node[]): HTMLElement {
  const details = el('details', { class: 'part' }, el('summary', {}, visible(title)));
  details.addEventListener('toggle', () => details.append(...content()), { once: true });
  return details;
}

function stepContent(data: ReportData, { messages = [], raw }: ReportStep, document: ReportDocument | null): Node[] {
  return [
    ...messages.map((message) => el('div', { class: 'message' }, el('b', {}, visible(message.role)), ...pieces(data, message, document))),
    ...(raw === undefined ? [] : [el('div', { class: 'message' }, el('b', {}, 'answer as it came'), textBlock(raw))]),
  ];
}

function pieces(data: ReportData, message: ReportMessage, document: ReportDocument | null): Node[] {
  return message.pieces.map((piece) => {
    if (typeof piece === 'number') return el('pre', { class: 'block' }, cutText(data.string(piece) ?? '(not in this file)', TEXT_LENGTH));
    const { start, end } = piece;
    return lazyDetails(`text of the document, ${counted(end - start, 'character')} (${start}–${end})`, () => [
      el('pre', { class: 'block' }, cutText(textOf(document, start, end), TEXT_LENGTH)),
    ]);
  });
}

/** What the file holds of a stretch; an ellipsis stands for what it does not. */
function textOf(document: ReportDocument | null, start: number, end: number): string {
  let at = start;
  let text = '';
  for (const excerpt of document?.excerpts ?? []) {
    const [from, to] = [Math.max(start, excerpt.start), Math.min(end, excerpt.start + excerpt.text.length)];
    if (from >= to) continue;
    text += `${from > at ? '⋯\n' : ''}${excerpt.text.slice(from - excerpt.start, to - excerpt.start)}`;
    at = to;
  }
  return text === '' ? '(not in this file)' : `${text}${at < end ? '\n⋯' : ''}`;
}
