import { finalAnswer } from '../checks/final-answer.ts';
import { createJudge, lastIndex } from '../checks/judge.ts';
import type { JudgeInput } from '../checks/judge-input.ts';
import { mergeAnswers } from '../checks/merge-answers.ts';
import { type ParsedAnswer, parseAnswer } from '../checks/parse-answer.ts';
import { type SeekInput, seekQuotes } from '../checks/seek-quotes.ts';
import { createValidators } from '../checks/validator.ts';
import { createExtractor } from '../documents/extract.ts';
import { createTokenCounter } from '../documents/token-count.ts';
import { NO_TOKENS } from '../documents/tokens.ts';
import type { Score } from '../domain/score.ts';
import { type ExtractTask, type PagesTask, packed, type ReadPages, unpacked } from './extract-in-threads.ts';
import type { ExtractedDocument } from './extracted-document.ts';
import type { Merged, MergeTask, ParseTask } from './pool.ts';

/** Entry of the pool's threads: one instance of the parsers per thread, the compiled schemas, and the last document's index. */
const extractor = createExtractor();
const countTokens = createTokenCounter();
const validatorFor = createValidators();
const indexOf = lastIndex();
const judgeAnswer = createJudge(validatorFor, indexOf);

export async function extract({ input, parts }: ExtractTask): Promise<ExtractedDocument> {
  const extraction = await extractor.extract(input, parts.map(unpacked));
  return { extraction, tokens: extraction.ok ? await countTokens(extraction.content.text) : NO_TOKENS };
}

export async function readPages({ input, range }: PagesTask): Promise<ReadPages | null> {
  const content = await extractor.readPages(input, range);
  return content === null ? null : packed(content);
}

export function parse(task: ParseTask): ParsedAnswer {
  return parseAnswer(task.content, task.form, task.finishReason, validatorFor);
}

export function merge({ reduced, schema, ...input }: MergeTask): Merged {
  const merged = mergeAnswers(input, () => indexOf(input.document));
  return { merged, final: finalAnswer({ merged, rule: input.rule, reduced, schema }, validatorFor) };
}

export function judge(task: JudgeInput): Score[] {
  return judgeAnswer(task);
}

export function seek(task: SeekInput): readonly string[] {
  return seekQuotes(task);
}
