import type { Json } from '../domain/canonical-json.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';
import type { EvidenceIndex } from '../evidence/evidence-index.ts';
import type { JudgeInput } from './judge-input.ts';
import type { Validator } from './validator.ts';

/** What a check judges. */
export type CheckInput = Omit<JudgeInput, 'checks'> & {
  /** The document's index for quotes; made at the first call, then kept. */
  readonly evidenceIndex: () => EvidenceIndex;
  /** The validator of a JSON Schema; made at the first call for a schema, then kept. Throws an `Error` for an invalid schema. */
  readonly validatorFor: (schema: Json) => Validator;
};

/** The part of a score that a check decides; the rest is copied from its spec. */
export type Judgement = Pick<Score, 'verdict' | 'value' | 'explanation' | 'findings' | 'absences'>;

/** The spec of one type of check. */
export type SpecOf<Type extends CheckSpec['type']> = CheckSpec & { readonly type: Type };

/** A rule applied to an answer. Pure; runs in a worker thread under a time limit. */
export type Check<Type extends CheckSpec['type']> = (spec: SpecOf<Type>, input: CheckInput) => Judgement;
