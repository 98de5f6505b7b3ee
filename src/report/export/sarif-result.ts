import { createHash } from 'node:crypto';
import { oneLine } from '../../domain/hostile-text.ts';
import type { ResultLine } from '../../domain/result-line.ts';
import type { Finding, Score } from '../../domain/score.ts';
import { quoteNotes, verdictOnQuote } from '../evidence-phrases.ts';
import { relativeUri, type SourceKind } from './sarif-source.ts';

export type SarifLevel = 'error' | 'warning';

type SarifLocation = {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region?: { readonly startLine: number; readonly snippet?: { readonly text: string } };
  };
};

export type SarifResult = {
  readonly ruleId: string;
  readonly level: SarifLevel;
  readonly message: { readonly text: string };
  readonly locations: readonly [SarifLocation];
  readonly relatedLocations?: readonly SarifLocation[];
  /** Times that this was found: other models and repeats say the same. */
  readonly occurrenceCount: number;
  readonly partialFingerprints?: Readonly<Record<string, string>>;
};

/** A result and what makes it the same as another one. */
export type Found = { readonly score: Score; readonly key: string; readonly result: SarifResult };

const WORDS = 300;
const SNIPPET = 1000;
const RELATED = 10;
const FINGERPRINT_CHARACTERS = 32;

/** What the checks of one job found: the quotes that did not stand, and the checks without any that did not pass. */
export function sarifResults(line: ResultLine, kind: SourceKind, path: string, withWords: boolean): Found[] {
  const uri = relativeUri(path);
  const at = (finding: Finding | null): SarifLocation => ({ physicalLocation: { artifactLocation: { uri }, ...region(finding, kind) } });
  return line.scores
    .filter(({ verdict }) => verdict !== 'pass')
    .flatMap((score) => {
      const doubtful = score.findings.filter(needsALook);
      return doubtful.length === 0
        ? [checkFound(line, score, at, withWords)]
        : doubtful.map((finding) => quoteFound(line, score, finding, at(finding), withWords));
    });
}

/** `task/check`, on one line. */
export function ruleId(task: string, check: string): string {
  return `${oneLine(task, WORDS)}/${oneLine(check, WORDS)}`;
}

/** What breaks a run's rules is an error; what is only a warning, or what a person must decide, is a warning. */
export function levelOf({ verdict, severity }: Pick<Score, 'verdict' | 'severity'>): SarifLevel {
  return verdict === 'fail' && severity === 'must' ? 'error' : 'warning';
}

function needsALook({ evidence: { status, seen } }: Finding): boolean {
  return status !== 'verified' || seen === false;
}

function region(finding: Finding | null, kind: SourceKind): Pick<SarifLocation['physicalLocation'], 'region'> {
  const { position = null, text = null } = finding?.evidence ?? {};
  if (kind !== 'lines' || position === null || position.line < 1) return {};
  const snippet = text === null ? {} : { snippet: { text: text.slice(0, SNIPPET).replace(/\p{Cs}/gu, '\ufffd') } };
  return { region: { startLine: position.line, ...snippet } };
}

function quoteFound(line: ResultLine, score: Score, finding: Finding, location: SarifLocation, withWords: boolean): Found {
  const { quote, evidence } = finding;
  const words = (text: string): string => oneLine(text, WORDS);
  const facts = [verdictOnQuote(finding), ...(evidence.diff === null ? [] : [words(evidence.diff)]), ...quoteNotes(finding, words)];
  // Only a place in no prompt, or words left out, wait for a person; a rejected quote of a failed check is what made it fail.
  const level = evidence.status === 'rejected' ? levelOf(score) : 'warning';
  const problem = problemOf(finding);
  const text = `${problem === null ? '' : `${words(problem)} — `}${quote === '' ? 'A quote' : `Quote "${words(quote)}"`} of ${words(line.model)}: ${facts.join('; ')}.`;
  return found(line, score, { level, text, of: [evidence.status, quote], location, withWords });
}

/** What the answer finds wrong with what it quotes, where it says so. */
function problemOf({ beside = {} }: Finding): string | null {
  const field = ['problem', 'description'].find((name) => Object.hasOwn(beside, name));
  return field === undefined ? null : String(beside[field]);
}

/** A check of numbers has no quote of its own: the file is its place, and what the answer quoted stands beside it. */
function checkFound(line: ResultLine, score: Score, at: (finding: Finding | null) => SarifLocation, withWords: boolean): Found {
  const said = score.explanation === '' ? `${score.type} ${score.verdict === 'review' ? 'needs a person' : 'failed'}` : score.explanation;
  const text = `${score.verdict === 'review' ? 'To review: ' : ''}${oneLine(said, WORDS)} (answer of ${oneLine(line.model, WORDS)}).`;
  const quoted = line.scores.flatMap(({ findings }) => findings).filter(({ evidence }) => evidence.status === 'verified');
  const related = quoted.map(at).filter(({ physicalLocation }) => physicalLocation.region !== undefined);
  const location = at(null);
  const made = found(line, score, { level: levelOf(score), text, of: [line.model], location, withWords });
  return related.length === 0 ? made : { ...made, result: { ...made.result, relatedLocations: related.slice(0, RELATED) } };
}

function found(
  { task, document }: ResultLine,
  score: Score,
  made: {
    readonly level: SarifLevel;
    readonly text: string;
    /** What, beside rule and document, makes it the same when lines move. */
    readonly of: readonly string[];
    readonly location: SarifLocation;
    readonly withWords: boolean;
  },
): Found {
  const { level, text, of, location, withWords } = made;
  const rule = ruleId(task, score.check);
  const print = createHash('sha256')
    .update(JSON.stringify([rule, ...of]))
    .digest('hex')
    .slice(0, FINGERPRINT_CHARACTERS);
  const { uri } = location.physicalLocation.artifactLocation;
  const result: SarifResult = {
    ruleId: rule,
    level,
    message: { text: plainMessage(text) },
    locations: [location],
    occurrenceCount: 1,
    // A hash would tell whoever guesses the words that they are right.
    ...(withWords ? { partialFingerprints: { 'aievalQuote/v1': print } } : {}),
  };
  // Without words all quotes look alike: their places tell them apart.
  const where = withWords ? '' : String(location.physicalLocation.region?.startLine ?? '');
  return { score, key: JSON.stringify([document, uri, print, where]), result };
}

/** SARIF would make links of `[a](b)`, and put arguments for `{0}`. */
function plainMessage(text: string): string {
  return text.replaceAll('](', '] (').replace(/\{(?=\d+\})/g, '{ ');
}
