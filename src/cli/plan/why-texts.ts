import { firstDifference, type LineDifference } from '../../domain/first-difference.ts';
import type { KeyDifference } from '../../domain/key-difference.ts';
import type { ResolvedTask } from '../../domain/manifest/resolved.ts';
import type { RelatedAnswer } from '../../store/key-facts.ts';
import type { NewJob, NewStep } from '../../store/plan-rows.ts';
import type { Store } from '../../store/store.ts';
import type { Prepared } from './prepare.ts';

/** A text of which a prompt was made and that is not the same any more. `at`: `null` where the old one is not kept. */
export type TextDifference = { readonly what: string; readonly at: LineDifference | null };

export type TextsInput = {
  readonly store: Pick<Store, 'canonicalText' | 'getRun'>;
  readonly prepared: Pick<Prepared, 'manifest' | 'documents'>;
  readonly job: NewJob;
  readonly step: NewStep;
  readonly answer: RelatedAnswer;
  readonly differences: readonly KeyDifference[];
};

/** Why the rendered texts of two questions differ: the document, the template, its variables, or which part is asked. */
export async function textDifferences(input: TextsInput): Promise<readonly TextDifference[]> {
  const { differences, answer, store } = input;
  const isPrompt = differences.some(({ part }) => part === 'prompt');
  const isSystem = differences.some(({ part }) => part === 'system');
  if ((!isPrompt && !isSystem) || answer.job === null) return [];
  const run = await store.getRun(answer.runId);
  const [mine, theirs] = [input.prepared.manifest.tasks[input.job.task], run?.manifest.tasks[input.job.task]];
  return [
    ...(isPrompt ? await documentDifference(input, answer.job) : []),
    ...(isPrompt ? partDifference(input) : []),
    ...(mine === undefined || theirs === undefined ? [] : templateDifferences(mine, theirs)),
  ];
}

async function documentDifference(
  { store, prepared, job, answer }: TextsInput,
  asked: NonNullable<RelatedAnswer['job']>,
): Promise<TextDifference[]> {
  if (asked.textSha256 === job.textSha256) return [];
  const old = await store.canonicalText(answer.runId, asked.documentId);
  const extraction = prepared.documents.find(({ documentId }) => documentId === job.documentId)?.extraction;
  const at = old === null || extraction?.ok !== true ? null : firstDifference(extraction.content.text, old.text);
  return [{ what: 'document', at }];
}

function partDifference({ step, answer }: TextsInput): TextDifference[] {
  const mine = step.input?.kind === 'part' ? step.input.part : null;
  const isSame = mine?.start === answer.part?.start && mine?.end === answer.part?.end;
  return isSame ? [] : [{ what: 'part', at: null }];
}

function templateDifferences(mine: ResolvedTask, theirs: ResolvedTask): TextDifference[] {
  const texts = [
    ['prompt', mine.prompt, theirs.prompt],
    ['system', mine.system ?? '', theirs.system ?? ''],
    ['vars', pretty(mine.vars), pretty(theirs.vars)],
    ['output.schema', pretty(mine.output.schema), pretty(theirs.output.schema)],
  ] as const;
  return texts.flatMap(([what, ours, others]) => {
    const at = firstDifference(ours, others);
    return at === null ? [] : [{ what, at }];
  });
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 1);
}
