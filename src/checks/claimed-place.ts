import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { Evidence, Finding } from '../domain/score.ts';
import { isOnLine, isOnPage } from '../evidence/place/place.ts';
import type { SpecOf } from './check.ts';
import { valueBeside } from './pointer.ts';

/** Where the answer says that a quote stands; `undefined` where the check does not ask. */
export type Claimed = { readonly page: number | null; readonly line: number | null | undefined };

/** What the answer states beside the quote at `pointer`. */
export function claimedPlace(spec: SpecOf<'evidence'>, answer: Json, pointer: string, { pages }: Pick<CanonicalText, 'pages'>): Claimed {
  return {
    page: spec.page === null ? null : pageIn(valueBeside(answer, pointer, spec.page), pages),
    line: spec.line === null ? undefined : numberIn(valueBeside(answer, pointer, spec.line)),
  };
}

/** What the quote's own place makes of the claim: a wrong page or line is corrected, not refused. */
export function corrections(
  document: CanonicalText,
  { page, line }: Claimed,
  evidence: Evidence,
): Pick<Finding, 'pageClaimed' | 'pageCorrected' | 'lineClaimed' | 'lineCorrected'> {
  const found = evidence.status === 'rejected' ? null : evidence.position;
  const pageCorrected = found !== null && page !== null && document.pages.length > 0 && !isOnPage(document, found, page);
  if (line === undefined) return { pageClaimed: page, pageCorrected };
  return {
    pageClaimed: page,
    pageCorrected,
    lineClaimed: line,
    lineCorrected: found !== null && line !== null && !isOnLine(document, found, line),
  };
}

/** A page's number, or a label of the document's own that is no number: `"iv"`, `"p. A-3"`. */
function pageIn(value: Json | undefined, pages: CanonicalText['pages']): number | null {
  if (typeof value !== 'string') return numberIn(value);
  const claimed = value
    .trim()
    .replace(/^(?:pages?|pp?\.?)\s+/i, '')
    .toLowerCase();
  const labelled = pages.find(({ label }) => label !== null && !/^\d+$/.test(label) && label.toLowerCase() === claimed);
  return labelled?.number ?? numberIn(value);
}

/** A number as models write it: `12`, `"12"`, `"p. 12"`. */
function numberIn(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  const digits = typeof value === 'string' ? /^\D{0,8}(\d{1,6})$/.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
