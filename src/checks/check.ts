import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Score } from '../domain/score.ts';

/** What a check judges: the parsed answer (a string for `format: "text"`) and the document it is about. */
export type CheckInput = { readonly answer: Json; readonly document: CanonicalText };

/** The part of a score that a check decides; the rest is copied from its spec. */
export type Judgement = Pick<Score, 'verdict' | 'value' | 'explanation' | 'findings'>;

/** A rule applied to an answer. Pure; runs in a worker thread under a time limit. */
export type Check<Type extends CheckSpec['type']> = (spec: Extract<CheckSpec, { type: Type }>, input: CheckInput) => Judgement;
