import type { Completion } from '../domain/completion.ts';
import type { StepInput } from '../domain/part.ts';
import type { JobRecord, StepRow } from '../store/rows.ts';

/** What a job asks first of all, or of a part, or of the parts' answers; and the answer that it took, if one is stored. */
export type FirstQuestion = { readonly input: StepInput | null; readonly answered: Completion | undefined };

/** The questions of a job in their order, without re-asks. `stored`: its completions by call token, in the order of the calls. */
export function firstQuestions({ steps }: Pick<JobRecord, 'steps'>, stored: ReadonlyMap<string, Completion>): readonly FirstQuestion[] {
  const parts = new Map(steps.flatMap(({ part }) => (part === null ? [] : [[part.index, part] as const])));
  if (parts.size === 0) return [{ input: null, answered: [...stored.values()].at(-1) }];
  const answerTo = (asked: (step: StepRow) => boolean): Completion | undefined => {
    const token = steps.findLast((step) => step.callToken !== null && asked(step))?.callToken ?? '';
    return stored.get(token);
  };
  const reduce = steps.findLast((step) => step.prompt !== null && !isOfEarlierRound(step))?.prompt ?? null;
  return [
    ...[...parts.values()].map((part) => ({
      input: { kind: 'part', part } as const,
      answered: answerTo((step) => step.part?.index === part.index),
    })),
    ...(reduce === null ? [] : [{ input: { kind: 'prompt', ...reduce } as const, answered: answerTo(({ prompt }) => prompt !== null) }]),
  ];
}

/** Made of answers that were asked for again. */
function isOfEarlierRound({ outcome, callToken }: StepRow): boolean {
  return outcome === 'superseded' && callToken === null;
}
