import type { Span } from '../domain/document.ts';
import type { Absence, Finding } from '../domain/score.ts';
import { createPromptText } from '../evidence/prompt-text.ts';
import { verifyQuote } from '../evidence/verify-quote.ts';
import { searchedIn } from './absence.ts';
import { fieldsBeside } from './beside.ts';
import type { Check, CheckInput, Judgement, SpecOf } from './check.ts';
import { claimedPlace, corrections } from './claimed-place.ts';
import { evidenceVerdict, isStanding } from './evidence-verdict.ts';
import type { Origin } from './judge-input.ts';
import { failed } from './judgement.ts';
import { type Match, parentOf, select } from './pointer.ts';
import { oneLine, showPlace, showValue } from './show.ts';

/** Characters of the document that one answer's unfound quotes may search for their nearest places: about three seconds. */
const EXPLAINED_CHARACTERS = 150_000_000;
const MOST_EXPLAINED = 1_000;

/**
 * Every string at `at` is a quote that must stand in the document, every `null` the claim that the document does not say it; see
 * `evidenceVerdict`. It passes without a single quote too. `value`: quotes that stand.
 */
export const evidenceCheck: Check<'evidence'> = (spec, input) => {
  const matches = select(input.answer, spec.at);
  const partOf = originLookup(input.origins);
  const findings = findingsOf(spec, input, matches, partOf);
  const absences = absencesOf(input, matches, partOf);
  const stray = matches.find(({ value }) => value !== null && typeof value !== 'string');
  const judged = stray === undefined ? evidenceVerdict(spec, findings, absences) : strayQuote(stray);
  return {
    ...judged,
    value: findings.filter(isStanding).length,
    explanation: oneLine(judged.explanation),
    findings,
    ...(absences.length === 0 ? {} : { absences }),
  };
};

function strayQuote({ pointer, value }: Match): Judgement {
  return failed(null, `expected a quote at ${showPlace(pointer)}, got ${showValue(value)}`);
}

type PartOf = (pointer: string) => Span | null;

function findingsOf(spec: SpecOf<'evidence'>, input: CheckInput, matches: readonly Match[], partOf: PartOf): Finding[] {
  const { document, seen, elsewhere } = input;
  const promptText = createPromptText(input.promptText);
  let explained = 0;
  const mostExplained = Math.min(MOST_EXPLAINED, Math.ceil(EXPLAINED_CHARACTERS / Math.max(1, document.text.length)));
  return matches.flatMap(({ pointer, value }) => {
    if (typeof value !== 'string') return [];
    const claimed = claimedPlace(spec, input.answer, pointer, document);
    const explain = explained < mostExplained;
    const source = Object.hasOwn(elsewhere, value) ? elsewhere[value] : null;
    const options = { minChars: spec.minChars, ...claimed, explain, seen, near: partOf(pointer), promptText, elsewhere: source };
    const evidence = verifyQuote(input.evidenceIndex(), value, options);
    if (evidence.status === 'rejected') explained += 1;
    const beside = fieldsBeside(spec, input.answer, pointer);
    const corrected = corrections(document, claimed, evidence);
    return [{ at: pointer, quote: value, evidence, ...corrected, ...(beside === undefined ? {} : { beside }) }];
  });
}

/** Who saw one part can speak for that part only. */
function absencesOf({ document, seen }: CheckInput, matches: readonly Match[], partOf: PartOf): Absence[] {
  const known = new Map<Span | null, Omit<Absence, 'at'>>();
  return matches.flatMap(({ pointer, value }) => {
    if (value !== null) return [];
    const part = partOf(pointer);
    const searched = known.get(part) ?? searchedIn(document, part === null ? seen : [part]);
    known.set(part, searched);
    return [{ at: pointer, ...searched }];
  });
}

/** The part that the item around a pointer came from; `null` when it was not joined from parts. */
function originLookup(origins: readonly Origin[]): PartOf {
  const spans = new Map(origins.map(({ pointer, span }) => [pointer, span]));
  return (pointer) => {
    for (let at: string | null = pointer; at !== null && spans.size > 0; at = parentOf(at)) {
      const span = spans.get(at);
      if (span !== undefined) return span;
    }
    return null;
  };
}
