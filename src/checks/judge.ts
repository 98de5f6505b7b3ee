import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';
import { createEvidenceIndex, type EvidenceIndex } from '../evidence/evidence-index.ts';
import { runCheck } from './registry.ts';
import { createValidator, type Validator } from './validator.ts';

export type JudgeInput = { readonly answer: Json; readonly document: CanonicalText; readonly checks: readonly CheckSpec[] };

/** Compiled schemas that one judge keeps. */
const MOST_VALIDATORS = 64;

/**
 * A judge: applies checks to an answer, one score per check, in their order. It keeps the index of the document that it saw last
 * and its compiled schemas, so one judge per thread serves all jobs. Throws an `Error` for a schema or pattern that cannot be
 * compiled; the manifest's validation finds those earlier.
 */
export function createJudge(): (input: JudgeInput) => Score[] {
  const indexOf = lastIndex();
  const validatorFor = validators();
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

/** Pages and sections come from the extractor; the same text by another one may have others. */
function isSameText(a: CanonicalText, b: CanonicalText): boolean {
  return a === b || (a.textSha256 === b.textSha256 && a.extractor === b.extractor && a.format === b.format);
}

function validators(): (schema: Json) => Validator {
  const kept = new Map<string, Validator>();
  return (schema) => {
    const key = canonicalJson(schema);
    const validator = kept.get(key) ?? createValidator(schema);
    if (kept.size >= MOST_VALIDATORS) kept.clear();
    kept.set(key, validator);
    return validator;
  };
}
