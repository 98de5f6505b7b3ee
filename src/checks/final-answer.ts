import type { Json } from '../domain/canonical-json.ts';
import { type Path, segmentsOf } from '../domain/manifest/path.ts';
import { isObject } from '../domain/manifest/raw.ts';
import type { MergeRule } from '../domain/manifest/resolved.ts';
import { type MergeFailure, mergeMessage } from '../domain/merge-failure.ts';
import type { MergedAnswer } from './merge-answers.ts';
import { select, withValueAt } from './pointer.ts';
import { breachBelow } from './schema-error.ts';
import { showPlace } from './show.ts';
import type { ValidatorFor } from './validator.ts';

export type FinalInput = {
  readonly merged: MergedAnswer;
  readonly rule: Pick<MergeRule, 'array' | 'reduce'>;
  /** The answer of the `reduce`; `null` when there is none, or none yet. */
  readonly reduced: { readonly answer: Json } | null;
  /** Of the task's whole answer; `null` without one. */
  readonly schema: Json;
};

export type FinalAnswer = { readonly ok: true; readonly answer: Json } | { readonly ok: false; readonly message: string };

const MOST_NAMED = 5;

/**
 * The answer of a job whose document was asked in parts; `null` where the `reduce` is still to be asked, and can help. What it says
 * never replaces what the parts quoted: the joined arrays are put into its answer. Parts that contradict each other, or together
 * break the schema, give none.
 */
export function finalAnswer(input: FinalInput, validatorFor: ValidatorFor): FinalAnswer | null {
  const { merged, rule, reduced, schema } = input;
  const errors = rule.array.flatMap((pointer) => arrayErrors(input, pointer, validatorFor));
  if (errors.length > 0) return refused('array', errors.join('; '));
  if (reduced === null && rule.reduce !== null) return null;
  if (reduced === null && merged.differing.length > 0) return refused('parts', contradictions(merged.differing));
  const answer = reduced === null ? merged.answer : withArrays(reduced.answer, input);
  if (answer === undefined) return refused('whole', 'the answer to merge.reduce leaves no room for the joined arrays');
  const breaches = schema === null ? [] : validatorFor(schema)(answer);
  return breaches.length === 0 ? { ok: true, answer } : refused('whole', breaches.join('; '));
}

function refused(failure: MergeFailure, detail: string): FinalAnswer {
  return { ok: false, message: mergeMessage(failure, detail) };
}

/** What stands against one joined array by itself: no reduce could mend it. */
function arrayErrors({ merged, schema }: FinalInput, pointer: string, validatorFor: ValidatorFor): readonly string[] {
  if (merged.differing.includes(pointer)) return [`${showPlace(pointer)}: not every part was answered with an array there`];
  const place = propertyOf(schema, segmentsOf(pointer));
  if (place === null) return [];
  return validatorFor(schema, place)(arrayAt(merged, pointer)).map((line) => breachBelow(pointer, line));
}

/** Where a schema describes a property; `null` where it does so by reference, or not at all. */
function propertyOf(schema: Json, [name, ...below]: readonly string[]): Path | null {
  if (name === undefined) return [];
  if (!isObject(schema) || !isObject(schema.properties) || !Object.hasOwn(schema.properties, name)) return null;
  const rest = propertyOf(schema.properties[name] ?? true, below);
  return rest === null ? null : ['properties', name, ...rest];
}

function withArrays(answer: Json, { merged, rule }: FinalInput): Json | undefined {
  return rule.array.reduce<Json | undefined>(
    (joined, pointer) => (joined === undefined ? undefined : withValueAt(joined, pointer, arrayAt(merged, pointer))),
    answer,
  );
}

function arrayAt({ answer }: MergedAnswer, pointer: string): Json {
  return select(answer, pointer)[0]?.value ?? [];
}

function contradictions(differing: readonly string[]): string {
  const named = differing.slice(0, MOST_NAMED).map(showPlace).join(', ');
  const more = differing.length > MOST_NAMED ? ` and ${differing.length - MOST_NAMED} more` : '';
  return `${named}${more}: merge.reduce can make one answer of them`;
}
