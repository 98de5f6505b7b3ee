import type { CanonicalText } from '../../domain/document.ts';
import type { Finding } from '../../domain/score.ts';

/** The one object that `quote --json` prints. Offsets are UTF-16 units of the canonical text, which `aieval extract FILE` prints. */
export function quoteRecord(finding: Finding, content: Pick<CanonicalText, 'textSha256'>): object {
  const { evidence, pageClaimed, pageCorrected, lineClaimed = null, lineCorrected = false } = finding;
  const { status, tier, reason, diff, occurrences, position, text, marks = [], context = null } = evidence;
  const { page = null, pageLabel = null, section = null, line = null, start = null, end = null } = position ?? {};
  return {
    v: 1,
    ...{ status, tier, reason, diff, occurrences },
    ...{ page, pageLabel, section, line, start, end },
    spans: evidence.spans ?? (position === null ? [] : [{ start: position.start, end: position.end }]),
    text,
    ...{ marks, context, pageClaimed, pageCorrected, lineClaimed, lineCorrected },
    textSha256: content.textSha256,
  };
}
