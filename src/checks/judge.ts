import type { CanonicalText } from '../domain/document.ts';
import type { Score } from '../domain/score.ts';
import { createEvidenceIndex, type EvidenceIndex } from '../evidence/evidence-index.ts';
import type { CheckInput } from './check.ts';
import type { JudgeInput } from './judge-input.ts';
import { runCheck } from './registry.ts';
import { createValidators, type ValidatorFor } from './validator.ts';

/**
 * A judge: applies checks to an answer, one score per check, in their order. It keeps the index of the document that it saw last,
 * so one judge per thread serves all jobs. Throws an `Error` for a schema or pattern that cannot be
 * compiled; the manifest's validation finds those earlier.
 */
export function createJudge(validatorFor: ValidatorFor = createValidators(), indexOf = lastIndex()): (input: JudgeInput) => Score[] {
  return ({ checks, ...judged }) => {
    const input: CheckInput = { ...judged, evidenceIndex: () => indexOf(judged.document), validatorFor };
    return checks.map((spec) => ({ check: spec.id, type: spec.type, severity: spec.severity, ...runCheck(spec, input) }));
  };
}

/** One answer judged by itself; see `createJudge`. */
export function judge(input: JudgeInput): Score[] {
  return createJudge()(input);
}

/** The index of a document; that of the last one is kept. */
export function lastIndex(): (document: CanonicalText) => EvidenceIndex {
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
  return JSON.stringify([a.pages, a.sections, a.lines, a.blocks]) === JSON.stringify([b.pages, b.sections, b.lines, b.blocks]);
}
