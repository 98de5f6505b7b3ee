import { type Edit, type Reading, readingOf, withoutOverlap } from './reading.ts';

/** Commands whose argument is what a reader reads. */
const WRAPPING: ReadonlySet<string> = new Set(
  'emph textbf textit texttt textsc textsf textrm textsl textup textmd textnormal text underline mbox mathrm mathbf mathit mathsf mathtt'.split(
    ' ',
  ),
);
/** Switches in a group: `{\em x}`. */
const SWITCHES: ReadonlySet<string> = new Set(
  'em bf it tt sc sf rm sl bfseries itshape ttfamily scshape sffamily rmfamily small normalsize large footnotesize noindent'.split(' '),
);
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  (
    'ldots=\u2026 dots=\u2026 times=× pm=± mp=∓ leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ ll=≪ gg=≫ approx=≈ sim=\u223c cdot=· mu=μ Omega=Ω ' +
    'textmu=μ degree=° textdegree=° percent=% textasciitilde=~ textbackslash=\\ S=§ textendash=\u2013 textemdash=\u2014 quad=\u2003 qquad=\u2003 ' +
    'alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ kappa=κ lambda=λ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=φ chi=χ psi=ψ ' +
    'omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ infty=∞ in=∈ notin=∉ rightarrow=→ to=→ leftarrow=← ' +
    'LaTeX=LaTeX TeX=TeX BibTeX=BibTeX'
  )
    .split(' ')
    .flatMap((pair): [string, string][] => {
      const [name, character] = pair.split('=', 2);
      return name === undefined || character === undefined ? [] : [[name, character]];
    }),
);
/** After a backslash: spaces, nothing, or the character itself. */
const SPACING: ReadonlyMap<string, string> = new Map([
  ...[',', ';', ':', '>', ' ', '\\'].map((sign): [string, string] => [sign, ' ']),
  ...['!', '/', '-', '@', '(', ')'].map((sign): [string, string] => [sign, '']),
  ...['%', '&', '$', '#', '_', '{', '}'].map((sign): [string, string] => [sign, sign]),
]);
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ["'", '\u0301'],
  ['`', '\u0300'],
  ['"', '\u0308'],
  ['^', '\u0302'],
  ['~', '\u0303'],
]);
const TOKEN =
  /\\label\{[^{}\n]{0,200}\}|\\[cC]ite[a-z]{0,12}\*?(?:\[[^[\]{}\n]{0,100}\]){0,2}\{[^{}]{0,400}\}|\\(["'`^~])(?:\{([a-zA-Z])\}|([a-zA-Z]))|\\([a-zA-Z]+)(\*?\{)?|\\([^a-zA-Z])|[{}~$]|(?<!\\)%[^\n]*/g;

const CITATION_OR_LABEL = /^\\(?:label\{|[cC]ite)/;
/** `^{-8}`, `_{max}`: the braces say nothing where nothing follows that could be taken for a part of it. */
const SIMPLE_INDEX = /^\{(?:[-+\u2212]?\d{1,6}|[a-zA-Z]{1,12})\}(?![\p{L}\p{N}])/u;
const LONGEST_INDEX = 20;

/**
 * What a reader of the typeset page does not see, or sees as another character: `~`, `\,`, `\%`, `\emph{x}`, `{\em x}`, `$`, `\label{…}`,
 * `\cite{…}`, `\"o`. Quotation marks and dashes are the match form's business; comments and all other commands stay as they are.
 */
export function latexEdits(text: string): Edit[] {
  if (!/[\\~$]/.test(text)) return [];
  const tokens = [...text.matchAll(TOKEN)];
  const pairedDollars = tokens.filter(([token]) => token === '$').length % 2 === 0;
  /** For each open brace, whether it is left out. */
  const open: boolean[] = [];
  return tokens.flatMap((match): Edit[] => {
    const token = match[0];
    const edit = (read: string, end = match.index + token.length): Edit[] => [{ start: match.index, end, text: read }];
    if (token === '{') return open.push(isBareGroup(text, match.index)) > 0 && open.at(-1) === true ? edit('') : [];
    if (token === '}') return open.pop() === true ? edit('') : [];
    if (token === '~') return isTie(text, match.index) ? edit(' ') : [];
    if (token === '$') return pairedDollars ? edit('') : [];
    if (token.startsWith('%')) return [];
    if (CITATION_OR_LABEL.test(token)) return [{ start: match.index, end: match.index + token.length, text: '', hidden: token }];
    if (match[1] !== undefined) return edit(`${match[2] ?? match[3] ?? ''}${ACCENTS.get(match[1]) ?? ''}`.normalize('NFC'));
    if (match[4] !== undefined) return commandEdit(match[4], match[5] !== undefined, open, edit, text, match.index);
    const read = SPACING.get(match[6] ?? '');
    return read === undefined ? [] : edit(read);
  });
}

function commandEdit(
  name: string,
  hasArgument: boolean,
  open: boolean[],
  edit: (read: string, end?: number) => Edit[],
  text: string,
  start: number,
): Edit[] {
  const isWrapping = hasArgument && WRAPPING.has(name);
  if (hasArgument) open.push(isWrapping);
  if (isWrapping || (!hasArgument && SWITCHES.has(name))) return edit('');
  const symbol = SYMBOLS.get(name);
  if (symbol === undefined) return [];
  // "\\LaTeX{}": the empty argument only ends the name.
  const isEmpty = hasArgument && text.startsWith('{}', start + name.length + 1);
  if (isEmpty) open[open.length - 1] = true;
  return isEmpty ? edit(symbol) : edit(symbol, start + name.length + 1);
}

/** `{\em x}`: a brace that no command owns; of an index or exponent a simple one's. */
function isBareGroup(text: string, index: number): boolean {
  if (/[\^_]/.test(text.charAt(index - 1))) return SIMPLE_INDEX.test(text.slice(index, index + LONGEST_INDEX));
  return index === 0 || /[\s("'`{]/.test(text.charAt(index - 1));
}

/** "Figure~3", not "~5 ms". */
function isTie(text: string, index: number): boolean {
  return /\S/.test(text.charAt(index - 1)) && /\S/.test(text.charAt(index + 1));
}

/** "[3]", "[4, 7]": how citations are printed. */
const CITATION_NUMBERS = /\[\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,12}\]/g;

/** A quote as its format is read, without the numbers of its citations. */
export function withoutCitationNumbers(quote: string): Reading {
  const numbers = [...quote.matchAll(CITATION_NUMBERS)].map((match): Edit => {
    return { start: match.index, end: match.index + match[0].length, text: '', hidden: match[0] };
  });
  return readingOf(quote, withoutOverlap([...numbers, ...latexEdits(quote)]));
}
