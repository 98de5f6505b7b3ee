import { MARK_WORDS, REJECTION_WORDS, worthOf } from '../domain/quote-words.ts';
import type { Absence, Evidence, Finding } from '../domain/score.ts';
import { counted, grouped } from './phrases.ts';
import type { Summary } from './summary.ts';

/** Makes text of a document or a model harmless for where it will stand. */
export type Quote = (text: string) => string;

/** Page and line of the place that counts; empty when the quote has none. */
export function place({ evidence: { position } }: Finding): string {
  if (position === null) return '';
  return position.page === null ? `line ${position.line}` : `page ${position.page}, line ${position.line}`;
}

/** What a quote is worth, in words. */
export function verdictOnQuote({ evidence }: Pick<Finding, 'evidence'>): string {
  const words = worthOf(evidence);
  return evidence.seen === false && evidence.status !== 'rejected' ? `${words}, but that place was in no prompt` : words;
}

/** The document's words to show beside a quote; of one that is cut those around the place, with `|` where it is. */
export function documentWords({ reason, text, context }: Evidence): string | null {
  return reason === 'cut' && text !== null ? (context ?? text) : text;
}

/** What else there is to know of a quote: what the answer named wrongly, where else it stands, what is missing in it. */
export function quoteNotes(finding: Finding, quote: Quote): string[] {
  const { source, marks = [], status, reason } = finding.evidence;
  const context = reason === 'cut' ? undefined : finding.evidence.context;
  return [
    ...(source === undefined ? [] : [`it stands in ${quote(source)}`]),
    ...claimNotes(finding),
    ...leftOutNote(finding, quote),
    ...marks.map((mark) => MARK_WORDS[mark]),
    ...(context === undefined ? [] : [`${status === 'elided' ? 'left out' : 'lead-in'}: ${quote(context)}`]),
  ];
}

/** The place that was named, where the quote's own is another. */
function claimNotes({ evidence, pageClaimed, pageCorrected, lineClaimed = null, lineCorrected }: Finding): string[] {
  const { position } = evidence;
  if (position === null) return [];
  return [
    ...(pageClaimed !== null && position.page === null ? [`page ${pageClaimed} was named, but this document has no pages`] : []),
    ...(pageClaimed !== null && pageCorrected && position.page !== null ? [`page corrected: ${pageClaimed} → ${position.page}`] : []),
    ...(lineClaimed !== null && lineCorrected === true ? [`line corrected: ${lineClaimed} → ${position.line}`] : []),
  ];
}

/** Of a clipped quote the words of the document's that it leaves out, which change the meaning. */
function leftOutNote({ quote: said, evidence: { reason, text, diff } }: Finding, quote: Quote): string[] {
  if (reason !== 'clipped' || text === null || diff !== null) return [];
  const [document, kept] = [wordsOf(text), wordsOf(said)];
  const left = document.length - kept.length;
  if (left <= 0 || kept.length === 0) return [];
  const isAtEnd = lettersOf(document.slice(left)) === lettersOf(kept);
  const words = (isAtEnd ? document.slice(0, left) : document.slice(-left)).join(' ');
  return [`left out ${isAtEnd ? 'before' : 'after'} it: ${quote(words)}`];
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

function lettersOf(words: readonly string[]): string {
  return words
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const SECTIONS_NAMED = 5;

/** What was searched for what the document is said not to say: `the whole document, 3 sections: A, B, C`. */
export function searchedPhrase({ searched, sections, whole }: Absence, quote: Quote): string {
  const what = whole ? 'the whole document' : 'not all of the document';
  if (sections.of === 0) return what;
  const count = sections.seen === sections.of ? counted(sections.of, 'section') : `${sections.seen} of ${counted(sections.of, 'section')}`;
  const named = searched.slice(0, SECTIONS_NAMED).map((title) => quote(title));
  const more = searched.length > named.length ? ', …' : '';
  return `${what}, ${count}${named.length === 0 ? '' : `: ${named.join(', ')}${more}`}`;
}

/**
 * `57 quotes checked: 50 verified (44 verbatim, 6 normalised), 2 near, 5 rejected (…).`, what else is to be known of them, and how many
 * claims there are that no quote can prove; `null` when there is none of either.
 */
export function evidenceSentence({ evidence }: Pick<Summary, 'evidence'>): string | null {
  const sentences = [...quoteSentences(evidence), ...absenceSentence(evidence)];
  return sentences.length === 0 ? null : sentences.join(' ');
}

function quoteSentences(evidence: Summary['evidence']): string[] {
  if (evidence.quotes === 0) return [];
  const tiers = evidence.tiers.map(({ tier, quotes }) => `${grouped(quotes)} ${tier}`);
  const reasons = evidence.reasons.map(({ reason, quotes }) => `${grouped(quotes)} ${REJECTION_WORDS[reason]}`);
  const parts = [`${grouped(evidence.verified)} verified${inBrackets(tiers)}`];
  if (evidence.elided > 0) parts.push(`${grouped(evidence.elided)} with parts left out`);
  if (evidence.near > 0) parts.push(`${grouped(evidence.near)} near`);
  parts.push(`${grouped(evidence.rejected)} rejected${inBrackets(reasons)}`);
  const { unseen, pagesCorrected, linesCorrected } = evidence;
  const corrected = [
    ...(pagesCorrected > 0 ? [counted(pagesCorrected, 'page')] : []),
    ...(linesCorrected > 0 ? [counted(linesCorrected, 'line')] : []),
  ];
  return [
    `${counted(evidence.quotes, 'quote')} checked: ${parts.join(', ')}.`,
    ...(unseen === 0 ? [] : [`${counted(unseen, 'quote')} ${isAre(unseen, 'stands', 'stand')} where no prompt has shown it.`]),
    ...(corrected.length === 0
      ? []
      : [`${corrected.join(' and ')} that the answers named ${isAre(pagesCorrected + linesCorrected, 'is', 'are')} corrected.`]),
  ];
}

function absenceSentence({ absences: { claims, whole } }: Summary['evidence']): string[] {
  if (claims === 0) return [];
  const searched = whole === claims ? 'all of the document each time' : `all of the document for ${grouped(whole)} of them`;
  return [`${counted(claims, 'claim')} that the document does not say something: shown with what was searched, ${searched}.`];
}

function isAre(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
