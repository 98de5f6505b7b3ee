import type { Position } from '../domain/document.ts';
import { oneLine } from '../domain/hostile-text.ts';
import type { Absence, Evidence, Finding, Score } from '../domain/score.ts';
import { quoteNotes, searchedPhrase } from '../report/evidence-phrases.ts';
import type { Colour, Paint } from './terminal/style.ts';

const LONGEST_TEXT = 400;
const INDENT = ' '.repeat(12);

const oneLong = (text: string): string => oneLine(text, LONGEST_TEXT);

/** One check for a person: its verdict, then every quote with its place or with why it has none, then what is claimed to be absent. */
export function scoreLines(score: Score, paint: Paint): string[] {
  const severity = score.severity === 'warn' ? ' (warn)' : '';
  const named = oneLine(score.check) === score.type ? score.type : `${oneLine(score.check)} (${score.type})`;
  const explanation = score.explanation === '' ? '' : `  ${oneLong(score.explanation)}`;
  const head = ` ${paint(verdictColour(score.verdict), score.verdict.toUpperCase().padEnd(6))} ${named}${severity}${explanation}`;
  return [
    head,
    ...score.findings.flatMap((finding) => findingLines(finding, paint)),
    ...(score.absences ?? []).flatMap((absence) => absenceLines(absence, paint)),
  ];
}

/** Colour of a verdict or of a job's state. */
export function verdictColour(word: string): Colour {
  return word === 'pass' ? 'green' : word === 'fail' || word === 'error' ? 'red' : 'yellow';
}

/** Colour of what a quote is worth. */
export function evidenceColour({ status, seen }: Pick<Evidence, 'status' | 'seen'>): Colour {
  if (status === 'rejected') return 'red';
  return status === 'verified' && seen !== false ? 'green' : 'yellow';
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { at, quote, evidence } = finding;
  const { status, position, occurrences } = evidence;
  const word = evidence.reason ?? evidence.tier ?? status;
  const place = position === null ? '' : `  ${placeText(position)}`;
  const times = occurrences > 1 ? `  (${occurrences} places)` : '';
  return [
    `   ${paint(evidenceColour(evidence), status)} ${word === status ? '' : `${word} `}${oneLine(at)}${place}${times}`,
    ...[`"${oneLong(quote)}"`, ...differenceLines(evidence), ...notesOn(finding)].map((line) => `${INDENT}${line}`),
  ];
}

/** What the document says instead; nothing where it says the same. */
function differenceLines({ status, diff, text }: Evidence): string[] {
  return [
    ...(diff === null ? [] : [`document → quote: ${oneLong(diff)}`]),
    ...(text === null || status === 'verified' ? [] : [`document: "${oneLong(text)}"`]),
  ];
}

function notesOn(finding: Finding): string[] {
  return [...(finding.evidence.seen === false ? ['that place was in no prompt'] : []), ...quoteNotes(finding, oneLong)];
}

function absenceLines(absence: Absence, paint: Paint): string[] {
  return [
    `   ${paint('yellow', 'absent')} ${oneLine(absence.at)}  the answer says that the document does not say it`,
    `${INDENT}searched: ${searchedPhrase(absence, (text) => oneLine(text, 60))}`,
  ];
}

/** `page 3 (printed: iii), § Timing, line 12`. */
export function placeText({ page, pageLabel, section, line }: Position): string {
  const parts = [
    page === null ? '' : `page ${page}${pageLabel === null || pageLabel === String(page) ? '' : ` (printed: ${oneLine(pageLabel, 20)})`}`,
    section === null ? '' : `§ ${oneLine(section, 60)}`,
    `line ${line}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
