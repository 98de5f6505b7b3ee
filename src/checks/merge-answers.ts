import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import type { EvidenceIndex } from '../evidence/evidence-index.ts';
import { commonAnswer } from './common-answer.ts';
import { distinctItems, type PartItem } from './distinct-items.ts';
import type { Origin } from './judge-input.ts';
import type { MergeInput } from './merge-input.ts';
import { select, withValueAt } from './pointer.ts';
import { quotePrints } from './quote-prints.ts';
import { isArray } from './show.ts';

export type MergedAnswer = {
  /** The joined arrays, and what all parts say alike. */
  readonly answer: Json;
  /** Of every item of the joined arrays. */
  readonly origins: readonly Origin[];
  /** JSON pointers of what the parts say differently; it is not in `answer`. */
  readonly differing: readonly string[];
};

/**
 * One answer of the answers about the parts of a document. Arrays are joined in the order of the parts; of what two parts found in
 * the same words, because their texts overlap, one item stays. A part without the array, or with `null` there, found nothing.
 */
export function mergeAnswers(input: MergeInput, index: () => EvidenceIndex): MergedAnswer {
  const { parts, rule } = input;
  const { value, differing } = commonAnswer(
    parts.map(({ answer }) => answer),
    rule.array,
  );
  const origins: Origin[] = [];
  let answer = value;
  for (const pointer of rule.array) {
    const items = distinctItems(itemsAt(pointer, input, index));
    items.forEach(({ span }, i) => {
      origins.push({ pointer: `${pointer}/${i}`, span });
    });
    const put = withValueAt(
      answer,
      pointer,
      items.map((item) => item.value),
    );
    if (put === undefined) differing.push(pointer);
    else answer = put;
  }
  return { answer, origins, differing };
}

/** The items of one array, part by part. */
function itemsAt(
  pointer: string,
  { parts, rule, checks, ...rest }: MergeInput,
  index: () => EvidenceIndex,
): readonly (readonly PartItem[])[] {
  const prints = rule.dedupe === 'none' ? null : quotePrints({ ...rest, parts, checks, array: pointer }, index);
  return parts.map(({ answer, part: span }, part) => {
    const found = select(answer, pointer)[0]?.value ?? null;
    const items = found !== null && isArray(found) ? found : [];
    return items.map((value, i) => ({ value, span, print: prints?.(part, i) ?? null, json: () => canonicalJson(value) }));
  });
}
