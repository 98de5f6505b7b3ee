import type { ReportJob } from '../../html/report-data.ts';
import { counted } from '../../phrases.ts';
import { cutText, el, visible } from '../dom.ts';

/** Longer ones are cut, with a button for the rest. */
const ANSWER_LENGTH = 20_000;

/** The judged answer as indented JSON, or as the text that it is. */
export function answerSection({ answer, repaired, reasked }: ReportJob): HTMLElement {
  if (answer === undefined) return section('', el('p', { class: 'remark' }, 'The answer is not in this file.'));
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
  const notes = [
    counted(text.length, 'character'),
    ...(repaired ? ['its JSON was mended'] : []),
    ...(reasked ? ['from a second request'] : []),
  ];
  return section(notes.join(', '), textBlock(text));
}

function section(note: string, content: Node): HTMLElement {
  return el(
    'details',
    { class: 'part', attributes: { open: '' } },
    el('summary', {}, el('h3', {}, 'Answer'), el('small', {}, note)),
    content,
  );
}

/** Keys of JSON stand out; a text of any length does not freeze the page. */
export function textBlock(text: string): HTMLElement {
  const block = el('pre', { class: 'block' });
  if (text.length > ANSWER_LENGTH) {
    block.append(cutText(text, ANSWER_LENGTH));
    return block;
  }
  let from = 0;
  for (const { index, 0: found, 1: indent = '' } of text.matchAll(/^( *)"(?:[^"\\\n]|\\.)*"(?=: )/gm)) {
    const key = index + indent.length;
    block.append(visible(text.slice(from, key)), el('span', { class: 'key' }, visible(found.slice(indent.length))));
    from = index + found.length;
  }
  block.append(visible(text.slice(from)));
  return block;
}
