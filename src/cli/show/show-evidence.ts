import type { Position } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { worthOf } from '../../domain/quote-words.ts';
import type { Absence, Evidence, Finding, Score } from '../../domain/score.ts';
import { documentWords, quoteNotes, searchedPhrase } from '../../report/evidence-phrases.ts';
import type { Colour, Paint } from '../terminal/style.ts';

const LONGEST_TEXT = 400;
/** As long as they are kept. */
const LONGEST_FIELD = 500;
const INDENT = ' '.repeat(12);

const oneLong = (text: string): string => oneLine(text, LONGEST_TEXT);

/** One check for a person: its verdict, then every quote with its place or with why it has none, then what is claimed to be absent. `text`: the document's. */
export function scoreLines(score: Score, paint: Paint, text: string | null = null): string[] {
  const severity = score.severity === 'warn' ? ' (warn)' : '';
  const named = oneLine(score.check) === score.type ? score.type : `${oneLine(score.check)} (${score.type})`;
  const explanation = score.explanation === '' ? '' : `  ${oneLong(score.explanation)}`;
  const head = ` ${paint(verdictColour(score.verdict), score.verdict.toUpperCase().padEnd(6))} ${named}${severity}${explanation}`;
  return [
    head,
    ...score.findings.flatMap((finding, index) => [
      ...findingLines(finding, paint, text),
      ...besideLines(finding, score.findings[index - 1]),
    ]),
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

function findingLines(finding: Finding, paint: Paint, text: string | null): string[] {
  const { at, quote, evidence } = finding;
  const { position, occurrences } = evidence;
  const place = position === null ? '' : `  ${placeText(position)}`;
  const times = occurrences > 1 ? `  (${occurrences} places)` : '';
  return [
    `   ${worthPhrase(evidence, paint)} ${oneLine(at)}${place}${times}`,
    ...[`"${oneLong(quote)}"`, ...differenceLines(evidence), ...notesOn(finding, text)].map((line) => `${INDENT}${line}`),
  ];
}

/** `verified verbatim`; otherwise the words of every screen, with the code of --json where they do not begin with it. */
function worthPhrase(evidence: Evidence, paint: Paint): string {
  const { status, reason, tier } = evidence;
  const words = worthOf(evidence);
  const code = reason ?? status;
  const worth = words.startsWith(code) ? words : `${code} (${words})`;
  const [first, rest] = status === 'verified' ? [status, tier ?? ''] : reason === null ? [worth, ''] : [status, worth];
  return `${paint(evidenceColour(evidence), first)}${rest === '' ? '' : ` ${rest}`}`;
}

/** What the document says instead; nothing where it says the same. */
function differenceLines(evidence: Evidence): string[] {
  const { status, diff } = evidence;
  const text = documentWords(evidence);
  return [
    ...(diff === null ? [] : [`document → quote: ${oneLong(diff)}`]),
    ...(text === null || status === 'verified' ? [] : [`document: "${oneLong(text)}"`]),
  ];
}

/** What the answer says of the quote: once for several of one object. */
function besideLines({ beside }: Finding, before: Finding | undefined): string[] {
  if (beside === undefined || JSON.stringify(beside) === JSON.stringify(before?.beside)) return [];
  return Object.entries(beside).map(([name, value]) => `${INDENT}${oneLine(name, 40)}: ${oneLine(String(value), LONGEST_FIELD)}`);
}

function notesOn(finding: Finding, text: string | null): string[] {
  const { evidence } = finding;
  const edges = boundaryNotes(evidence, text);
  const marks = evidence.marks?.filter((mark) => mark !== 'boundary' || edges.length === 0);
  return [
    ...(evidence.seen === false ? ['that place was in no prompt'] : []),
    ...edges,
    ...quoteNotes({ ...finding, evidence: { ...evidence, marks } }, oneLong),
  ];
}

const RUN_SHOWN = 40;

/** Of a quote that begins or ends where the document has no space: the document's run of characters there. */
function boundaryNotes({ marks = [], position }: Evidence, text: string | null): string[] {
  if (text === null || position === null || !marks.includes('boundary')) return [];
  const runAt = (at: number): string => {
    const [left = ''] = /\S*$/.exec(text.slice(Math.max(0, at - RUN_SHOWN), at)) ?? [];
    const [right = ''] = /^\S*/.exec(text.slice(at, at + RUN_SHOWN)) ?? [];
    return left === '' || !/[\p{L}\p{N}]/u.test(right) ? '' : oneLong(left + right);
  };
  const [start, end] = [runAt(position.start), runAt(position.end)];
  return [
    ...(start === '' ? [] : [`cut at its start: the document has "${start}"`]),
    ...(end === '' ? [] : [`cut at its end: the document goes on "${end}"`]),
  ];
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
