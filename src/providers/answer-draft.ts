import type { FinishReason } from '../domain/completion.ts';
import { isRecord, type JsonRecord, listAt, recordAt, textAt } from './json-shape.ts';

/** What an event brought: words (also of reasoning), the finish reason alone, or nothing that moves the answer on. */
export type Progress = 'content' | 'finish' | 'none';

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

/** An answer as it grows out of stream events, or out of one whole body. Takes any JSON; only the first choice counts. */
export class AnswerDraft {
  content = '';
  refusal: string | null = null;
  finishReason: FinishReason | null = null;
  /** As the server states it. */
  usage: unknown = null;
  model: string | null = null;
  /** An error that came in the place of an answer, inside a choice. */
  error: unknown = null;

  add(event: unknown): Progress {
    if (!isRecord(event)) return 'none';
    const usage = event.usage ?? event.usageMetadata;
    if (isRecord(usage)) this.usage = usage;
    this.model = textAt(event, 'model') ?? this.model;
    const choice = listAt(event, 'choices').find((item) => isRecord(item) && (item.index ?? 0) === 0);
    return isRecord(choice) ? this.#addChoice(choice) : 'none';
  }

  #addChoice(choice: JsonRecord): Progress {
    const reason = textAt(choice, 'finish_reason');
    // The answer is whole: what comes now is no part of it. But proxies before Gemini name a finish reason with every piece, and some
    // servers with the thoughts before the first word.
    if (this.finishReason !== null && reason === null && this.content !== '') return 'none';
    const part = isRecord(choice.delta) ? choice.delta : recordAt(choice, 'message');
    const words = wordsOf(part.content);
    const refusal = textAt(part, 'refusal');
    this.content += words;
    if (refusal !== null) this.refusal = (this.refusal ?? '') + refusal;
    if (reason === 'error' || isRecord(choice.error))
      this.error = choice.error ?? { message: 'the provider ended the answer with an error' };
    else if (reason !== null) this.finishReason = FINISH_REASONS.get(reason.toLowerCase()) ?? 'other';
    if (words !== '' || refusal !== null || movesOn(part)) return 'content';
    return this.finishReason === null ? 'none' : 'finish';
  }
}

/** Text, or a list of typed parts of which the texts count. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => textAt(part, 'text') ?? '').join('') : '';
}

/** A model that thinks or calls a tool is at work, though no word of the answer has come. */
function movesOn(part: JsonRecord): boolean {
  return textAt(part, 'reasoning_content') !== null || textAt(part, 'reasoning') !== null || listAt(part, 'tool_calls').length > 0;
}
