import { createJudge } from '../checks/judge.ts';
import { type ParsedAnswer, parseAnswer } from '../checks/parse-answer.ts';
import { createValidators } from '../checks/validator.ts';
import { createExtractor } from '../documents/extract.ts';
import type { ExtractInput } from '../documents/extract-input.ts';
import type { Extraction } from '../domain/document.ts';
import type { Score } from '../domain/score.ts';
import type { JudgeTask, ParseTask } from './pool.ts';

/** Entry of the pool's threads: one instance of the parsers per thread, the compiled schemas, and the last document's index. */
const extractor = createExtractor();
const validatorFor = createValidators();
const judgeAnswer = createJudge(validatorFor);

export function extract(task: ExtractInput): Promise<Extraction> {
  return extractor.extract(task);
}

export function parse(task: ParseTask): ParsedAnswer {
  return parseAnswer(task.content, task.form, task.finishReason, validatorFor);
}

export function judge(task: JudgeTask): Score[] {
  return judgeAnswer(task);
}
