import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { Evidence, Finding } from '../domain/score.ts';
import type { EvidenceIndex } from '../evidence/evidence-index.ts';
import { isOnPage, verifyQuote } from '../evidence/verify-quote.ts';
import type { Check, CheckInput, Judgement, SpecOf } from './check.ts';
import { failed } from './judgement.ts';
import { type Match, select, valueBeside } from './pointer.ts';
import { countOf, oneLine, showPlace, showValue } from './show.ts';

/** Characters of the document that one answer's unfound quotes may search for their nearest places: about three seconds. */
const EXPLAINED_CHARACTERS = 150_000_000;
const MOST_EXPLAINED = 1_000;

/**
 * Every string at `at` is a quote that must stand in the document. Any rejected one fails; else any `near` one asks for review;
 * else fewer than `minVerified` verified or elided fail; else it passes, also without a single quote. `value`: quotes that stand.
 */
export const evidenceCheck: Check<'evidence'> = (spec, input) => {
  const matches = select(input.answer, spec.at);
  const stray = matches.find((match) => typeof match.value !== 'string');
  const findings = findingsOf(spec, input, matches);
  const standing = findings.filter(({ evidence }) => evidence.status === 'verified' || evidence.status === 'elided').length;
  const judged = stray === undefined ? judgementOf(spec, findings, standing) : strayQuote(stray);
  return { ...judged, value: standing, explanation: oneLine(judged.explanation), findings };
};

function strayQuote({ pointer, value }: Match): Judgement {
  return failed(null, `expected a quote at ${showPlace(pointer)}, got ${showValue(value)}`);
}

function judgementOf(
  spec: SpecOf<'evidence'>,
  findings: readonly Finding[],
  standing: number,
): { verdict: Judgement['verdict']; explanation: string } {
  const rejected = findings.filter(({ evidence }) => evidence.status === 'rejected');
  const near = findings.filter(({ evidence }) => evidence.status === 'near');
  const [worst] = rejected;
  const [nearest] = near;
  if (worst !== undefined) return { verdict: 'fail', explanation: `${tally(rejected, findings)} rejected: ${showFinding(worst)}` };
  if (nearest !== undefined) return { verdict: 'review', explanation: `${tally(near, findings)} only near: ${showFinding(nearest)}` };
  if (standing < spec.minVerified) {
    return { verdict: 'fail', explanation: `expected at least ${countOf(spec.minVerified, 'verified quote')}, got ${standing}` };
  }
  return { verdict: 'pass', explanation: findings.length === 0 ? `no quote at ${showPlace(spec.at)}` : '' };
}

function tally(some: readonly Finding[], all: readonly Finding[]): string {
  return `${some.length} of ${countOf(all.length, 'quote')}`;
}

function showFinding({ at, quote, evidence }: Finding): string {
  return `${showPlace(at)} ${evidence.diff ?? showValue(quote)} (${(evidence.reason ?? evidence.status).replaceAll('_', ' ')})`;
}

function findingsOf(spec: SpecOf<'evidence'>, input: CheckInput, matches: readonly Match[]): Finding[] {
  let explained = 0;
  const mostExplained = Math.min(MOST_EXPLAINED, Math.ceil(EXPLAINED_CHARACTERS / Math.max(1, input.document.text.length)));
  return matches.flatMap(({ pointer, value }) => {
    if (typeof value !== 'string') return [];
    const pageClaimed = spec.page === null ? null : pageOf(valueBeside(input.answer, pointer, spec.page));
    const options = { minChars: spec.minChars, page: pageClaimed, explain: explained < mostExplained };
    const evidence = verifyQuote(index(input), value, options);
    if (evidence.status === 'rejected') explained += 1;
    return [{ at: pointer, quote: value, evidence, pageClaimed, pageCorrected: isCorrected(input.document, evidence, pageClaimed) }];
  });
}

function index(input: CheckInput): EvidenceIndex {
  return input.evidenceIndex();
}

/** A page number as models write it: `12`, `"12"`, `"p. 12"`. */
function pageOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  const digits = typeof value === 'string' ? /^\D{0,8}(\d{1,6})$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

function isCorrected(document: CanonicalText, { status, position }: Evidence, page: number | null): boolean {
  if (page === null || position === null || status === 'rejected' || document.pages.length === 0) return false;
  return !isOnPage(document, position, page);
}
