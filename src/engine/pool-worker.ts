import { createJudge } from '../checks/judge.ts';
import { type ParsedAnswer, parseAnswer } from '../checks/parse-answer.ts';
import { createValidators } from '../checks/validator.ts';
import { createExtractor } from '../documents/extract.ts';
import type { ExtractInput } from '../documents/extract-input.ts';
import { createTokenCounter } from '../documents/token-count.ts';
import { NO_TOKENS } from '../documents/tokens.ts';
import type { Score } from '../domain/score.ts';
import type { ExtractedDocument, JudgeTask, ParseTask } from './pool.ts';

/** Entry of the pool's threads: one instance of the parsers per thread, the compiled schemas, and the last document's index. */
const extractor = createExtractor();
const countTokens = createTokenCounter();
const validatorFor = createValidators();
const judgeAnswer = createJudge(validatorFor);

export async function extract(task: ExtractInput): Promise<ExtractedDocument> {
  const extraction = await extractor.extract(task);
  return { extraction, tokens: extraction.ok ? await countTokens(extraction.content.text) : NO_TOKENS };
}

export function parse(task: ParseTask): ParsedAnswer {
  return parseAnswer(task.content, task.form, task.finishReason, validatorFor);
}

export function judge(task: JudgeTask): Score[] {
  return judgeAnswer(task);
}
