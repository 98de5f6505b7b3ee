import type { Completion } from '../domain/completion.ts';
import type { Failure } from '../domain/reason.ts';

/**
 * What is wrong with a complete answer before anyone parses it; `null` when nothing is. All of these were billed. A filter and a
 * refusal come first: they may end with `length` or without a word.
 */
export function answerFailure(completion: Completion): Failure | null {
  const { finishReason, refusal, content, requestId } = completion;
  const about = requestId === null ? {} : { requestId };
  const partial = content === '' ? {} : { partial: content };
  if (finishReason === 'content_filter') {
    return {
      class: 'permanent',
      reason: 'blocked_output',
      message: "the provider's content filter stopped the answer",
      ...about,
      ...partial,
    };
  }
  if (refusal !== null) {
    return { class: 'quality', reason: 'refused', message: `the model refused: ${firstWords(refusal)}`, ...about, partial: refusal };
  }
  if (finishReason === 'length') return { class: 'quality', reason: 'truncated', message: truncation(completion), ...about, ...partial };
  if (content.trim() === '') {
    return { class: 'quality', reason: 'empty_answer', message: `the answer is empty (finish reason ${finishReason})`, ...about };
  }
  return null;
}

function truncation({ content, usage }: Completion): string {
  const tokens = usage === null ? '' : ` after ${usage.output} output tokens`;
  if (content.trim() !== '') return `the answer was cut off${tokens}; raise maxOutputTokens`;
  return `the output limit was used up${tokens} before the first word, most likely by reasoning; raise maxOutputTokens`;
}

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
