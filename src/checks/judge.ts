import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';
import { createEvidenceIndex, type EvidenceIndex } from '../evidence/evidence-index.ts';
import { runCheck } from './registry.ts';
import { createValidators, type ValidatorFor } from './validator.ts';

export type JudgeInput = { readonly answer: Json; readonly document: CanonicalText; readonly checks: readonly CheckSpec[] };

/**
 * A judge: applies checks to an answer, one score per check, in their order. It keeps the index of the document that it saw last,
 * so one judge per thread serves all jobs. Throws an `Error` for a schema or pattern that cannot be
 * compiled; the manifest's validation finds those earlier.
 */
export function createJudge(validatorFor: ValidatorFor = createValidators()): (input: JudgeInput) => Score[] {
  const indexOf = lastIndex();
  return ({ answer, document, checks }) =>
    checks.map((spec) => {
      const judgement = runCheck(spec, { answer, document, evidenceIndex: () => indexOf(document), validatorFor });
      return { check: spec.id, type: spec.type, severity: spec.severity, ...judgement };
    });
}

/** One answer judged by itself; see `createJudge`. */
export function judge(input: JudgeInput): Score[] {
  return createJudge()(input);
}

function lastIndex(): (document: CanonicalText) => EvidenceIndex {
  let index: EvidenceIndex | null = null;
  return (document) => {
    const kept = index !== null && isSameText(index.content, document) ? index : createEvidenceIndex(document);
    index = kept;
    return kept;
  };
}

/** The same text may stand on other pages and lines: two files, or two extractors, can give it. */
function isSameText(a: CanonicalText, b: CanonicalText): boolean {
  if (a === b) return true;
  if (a.textSha256 !== b.textSha256 || a.extractor !== b.extractor) return false;
  return JSON.stringify([a.pages, a.sections, a.lines]) === JSON.stringify([b.pages, b.sections, b.lines]);
}
