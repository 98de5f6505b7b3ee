import { worthOf } from '../domain/quote-words.ts';
import type { Absence, Finding } from '../domain/score.ts';
import type { Judgement, SpecOf } from './check.ts';
import { countOf, oneLine, showPlace, showValue } from './show.ts';

type Verdict = Pick<Judgement, 'verdict' | 'explanation'>;

/** Whether the quote counts as proof: it was found, also where its place was not in the prompt. */
export function isStanding({ evidence }: Finding): boolean {
  return evidence.status === 'verified' || evidence.status === 'elided';
}

/**
 * What the quotes of one answer come to. Any rejected one fails, as does an absence where none is allowed; else what only a person
 * can decide asks for review; else fewer than `minVerified` that stand fail; else it passes. The explanation names the worst.
 */
export function evidenceVerdict(spec: SpecOf<'evidence'>, findings: readonly Finding[], absences: readonly Absence[]): Verdict {
  return (
    rejected(findings) ??
    forbiddenAbsence(spec, absences) ??
    near(findings) ??
    unseen(findings) ??
    elided(spec, findings) ??
    absence(spec, absences) ??
    tooFew(spec, findings) ?? { verdict: 'pass', explanation: remark(spec, findings, absences) }
  );
}

function rejected(findings: readonly Finding[]): Verdict | null {
  return worstOf('fail', findings, ({ evidence }) => evidence.status === 'rejected', 'rejected');
}

function near(findings: readonly Finding[]): Verdict | null {
  return worstOf('review', findings, ({ evidence }) => evidence.status === 'near', 'only near');
}

function unseen(findings: readonly Finding[]): Verdict | null {
  return worstOf('review', findings, ({ evidence }) => evidence.seen === false, 'from what was not in the prompt');
}

function elided({ elided }: SpecOf<'evidence'>, findings: readonly Finding[]): Verdict | null {
  if (elided === 'accept') return null;
  return worstOf('review', findings, ({ evidence }) => evidence.status === 'elided', 'with words left out');
}

function worstOf(
  verdict: 'fail' | 'review',
  findings: readonly Finding[],
  isSo: (finding: Finding) => boolean,
  what: string,
): Verdict | null {
  const some = findings.filter(isSo);
  const [worst] = some;
  if (worst === undefined) return null;
  return { verdict, explanation: `${some.length} of ${countOf(findings.length, 'quote')} ${what}: ${showFinding(worst)}` };
}

const WORDS_SHOWN = 40;

function showFinding({ at, quote, evidence }: Finding): string {
  const { diff, reason, status, source, context, position } = evidence;
  const worth = worthOf(evidence);
  const place = position?.page == null ? '' : `, page ${position.page}`;
  const gap = status === 'elided' && context !== undefined ? `, without ${JSON.stringify(oneLine(context, WORDS_SHOWN))}` : '';
  const from = source === undefined ? '' : ` ${oneLine(source, WORDS_SHOWN * 2)}`;
  const why = reason === null ? `${worth}${gap}${place}` : `${worth}${from}`;
  return `${showPlace(at)} ${diff ?? showValue(quote)} (${why})`;
}

function forbiddenAbsence(spec: SpecOf<'evidence'>, absences: readonly Absence[]): Verdict | null {
  const [first] = absences;
  return spec.absence !== 'fail' || first === undefined
    ? null
    : { verdict: 'fail', explanation: `expected a quote: ${showAbsences(first, absences)}` };
}

/** What was not searched whole cannot be known to be absent. */
function absence(spec: SpecOf<'evidence'>, absences: readonly Absence[]): Verdict | null {
  const doubtful = spec.absence === 'accept' ? absences.filter(({ whole }) => !whole) : absences;
  const [first] = doubtful;
  return first === undefined ? null : { verdict: 'review', explanation: showAbsences(first, doubtful) };
}

function showAbsences(first: Absence, absences: readonly Absence[]): string {
  const { seen, of } = first.sections;
  const partly = of === 0 ? 'not the whole document was searched' : `${seen} of ${countOf(of, 'section')} searched, not the whole document`;
  const searched = first.whole ? 'the whole document was searched' : partly;
  return `${countOf(absences.length, 'claim')} that the document does not say it: ${showPlace(first.at)} is null (${searched})`;
}

function tooFew({ minVerified }: SpecOf<'evidence'>, findings: readonly Finding[]): Verdict | null {
  const standing = findings.filter(isStanding).length;
  if (standing >= minVerified) return null;
  return { verdict: 'fail', explanation: `expected at least ${countOf(minVerified, 'verified quote')}, got ${standing}` };
}

function remark(spec: SpecOf<'evidence'>, findings: readonly Finding[], absences: readonly Absence[]): string {
  const [first] = absences;
  if (first !== undefined) return showAbsences(first, absences);
  if (findings.length === 0) return `no quote at ${showPlace(spec.at)}`;
  const leadIn = findings.find(({ evidence }) => evidence.marks?.includes('negated_lead_in') === true);
  if (leadIn === undefined) return '';
  return `${showPlace(leadIn.at)} is an item below a negation: ${JSON.stringify(oneLine(leadIn.evidence.context ?? '', WORDS_SHOWN * 2))}`;
}
