const VERBATIM_ENVIRONMENTS = 'verbatim\\*?|Verbatim|lstlisting|minted|alltt|comment|filecontents\\*?';

/** An escaped sign, a comment, a piece of inline verbatim, the start of a verbatim environment. */
const SPECIAL = new RegExp(`\\\\verb\\*?([^a-zA-Z\\s*])|\\\\begin\\{(${VERBATIM_ENVIRONMENTS})\\}|\\\\[^a-zA-Z]|%`, 'g');

/** A longer piece of inline verbatim was never closed. */
const LONGEST_VERB = 500;

export type Verbatim = { readonly start: number; readonly end: number };

/**
 * The source with comments and verbatim text blanked, so that only commands that count are left; every offset stays. `listings`: the
 * verbatim environments.
 */
export function maskLatex(text: string): { readonly masked: string; readonly listings: readonly Verbatim[] } {
  const pieces: string[] = [];
  const listings: Verbatim[] = [];
  const endless = new Set<string>();
  let from = 0;
  const blank = (start: number, end: number): void => {
    pieces.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, ' '));
    from = end;
  };
  const special = new RegExp(SPECIAL);
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const [found, quote, environment] = match;
    if (found === '%') blank(match.index, endOfLine(text, match.index));
    else if (quote !== undefined) {
      const after = match.index + found.length;
      const close = (text.slice(after, after + LONGEST_VERB).split('\n', 1)[0] ?? '').indexOf(quote);
      if (close >= 0) blank(match.index, after + close + 1);
    } else if (environment !== undefined && !endless.has(environment)) {
      const mark = `\\end{${environment}}`;
      const end = text.indexOf(mark, match.index);
      if (end < 0) endless.add(environment);
      else {
        blank(match.index, end + mark.length);
        if (environment !== 'comment') listings.push({ start: match.index, end: end + mark.length });
      }
    }
    special.lastIndex = Math.max(from, special.lastIndex);
  }
  pieces.push(text.slice(from));
  return { masked: pieces.join(''), listings };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
