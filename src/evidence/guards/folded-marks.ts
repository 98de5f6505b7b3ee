import { type Difference, differenceAt, gapAt, type Side } from '../match/aligned.ts';
import { CHARACTER, classAt } from '../match/characters.ts';

/** A mark of one side of a match as its source writes it. */
type Mark = {
  readonly run: string;
  /** It begins what follows, as the minus of "-5", the dashes of "--force" and an opening quotation mark do. */
  readonly opens: boolean;
  /** White space on both sides, or on none. */
  readonly isEven: boolean;
};

const MARK = { hyphen: '-', plus: '+', apostrophe: "'", quotationMark: '"' } as const;
const LONG_DASH = /^[\u2013\u2014\u2015\u2e3a\u2e3b\ufe58]$/;
const EM_DASH = /[\u2014\u2015\u2e3a\u2e3b\ufe58]/;

/**
 * The match form writes dashes and quotation marks one way, without the white space around them, so "5 -3" equals "5-3", "--force"
 * equals "-force" and "f″" equals "f′". Returns the first such place where the difference may change the meaning, `null` when there
 * is none.
 */
export function foldedDifference(document: Side, quote: Side, length: number): Difference | null {
  /** Weights of the quotation marks that are open, the document's and the quote's. */
  const open: [number, number][] = [];
  for (let k = 0; k < length; k += 1) {
    const unit = document.form.text[document.from + k];
    const isSign = unit === MARK.hyphen || unit === MARK.plus;
    const isChanged = isSign
      ? k > 0 && k < length - 1 && isOtherSign(markAt(document, k), markAt(quote, k))
      : (unit === MARK.apostrophe || unit === MARK.quotationMark) && isOtherQuotation(document, quote, k, open);
    if (isChanged) return differenceAt(document, quote, k, length);
  }
  return null;
}

function isOtherSign(theirs: Mark, ours: Mark): boolean {
  if (theirs.opens !== ours.opens) return !(EM_DASH.test(theirs.run) && EM_DASH.test(ours.run));
  if (theirs.run === ours.run || (theirs.run.length === 1 && ours.run.length === 1)) {
    return theirs.opens && EM_DASH.test(theirs.run) !== EM_DASH.test(ours.run);
  }
  if (theirs.opens) return true;
  const [short, long] = theirs.run.length < ours.run.length ? [theirs, ours] : [ours, theirs];
  const isTypedDash = /^-+$/.test(long.run) && (LONG_DASH.test(short.run) || short.run.length > 1);
  return !isTypedDash && !(theirs.isEven && ours.isEven && /\s/.test(theirs.run + ours.run));
}

/** Quotation marks may be single or double if they are so in pairs; a prime or a unit has no partner. */
function isOtherQuotation(document: Side, quote: Side, k: number, open: [number, number][]): boolean {
  const [theirs, ours] = [markAt(document, k), markAt(quote, k)];
  const weights: [number, number] = [weightOf(theirs.run), weightOf(ours.run)];
  if (theirs.opens && ours.opens) open.push(weights);
  else if (!closes(open, weights)) return weights[0] !== weights[1];
  return false;
}

/** Takes off the open marks that a run closes: one, or several inside each other. False, and none taken, when it closes none. */
function closes(open: [number, number][], [theirs, ours]: [number, number]): boolean {
  let [left, right] = [theirs, ours];
  let depth = open.length;
  while (depth > 0 && left > 0 && right > 0) {
    const [a, b] = open[depth - 1] ?? [0, 0];
    left -= a;
    right -= b;
    depth -= 1;
  }
  if (left !== 0 || right !== 0) return false;
  open.length = depth;
  return true;
}

function weightOf(run: string): number {
  let weight = 0;
  for (let i = 0; i < run.length; i += 1) weight += classAt(run, i) === CHARACTER.doubleQuote ? 2 : 1;
  return weight;
}

/** The mark that gave unit `k`, with those of its class that follow at once; the backticks of Markdown around it are none. */
function markAt(side: Side, k: number): Mark {
  const start = side.form.map[side.from + k] ?? 0;
  const next = side.form.map[side.from + k + 1] ?? side.source.length;
  let run = side.source.charAt(start);
  for (let i = start + 1; i < next; i += 1) {
    if (side.dropped?.[i] === 1) continue;
    if (!isMark(classAt(side.source, i))) break;
    run += side.source.charAt(i);
  }
  const isSpaceAfter = gapAt(side, k + 1).isSpace;
  const isSpaceBefore = gapAt(side, k).isSpace;
  const opens = !isSpaceAfter && (isSpaceBefore || !isOperand(side, k - 1));
  return { run, opens, isEven: isSpaceBefore === isSpaceAfter };
}

function isMark(kind: number): boolean {
  return kind === CHARACTER.hyphen || kind === CHARACTER.dash || kind === CHARACTER.singleQuote || kind === CHARACTER.doubleQuote;
}

/** Whether unit `k` can stand left of an operator: a letter, a digit, a closing bracket. */
function isOperand(side: Side, k: number): boolean {
  if (side.from + k < 0) return false;
  const kind = classAt(side.form.text, side.from + k);
  return kind === CHARACTER.letter || kind === CHARACTER.digit || /[)\]}>%\u2030\u00b0]/.test(side.form.text[side.from + k] ?? '');
}
