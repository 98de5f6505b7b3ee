import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { jsonErrorProblem } from './json-error.ts';
import { type Problem, problemAt } from './problem.ts';
import { MAX_DEPTH, type SyntaxNode } from './source.ts';
import type { TextFile } from './text-file.ts';

/** The tree, `null` when the text has none, and the problems. With comments in plain JSON there are both. */
export type ParsedSyntax = { readonly root: SyntaxNode | null; readonly problems: readonly Problem[] };

/** Parses JSON, or with `comments` JSONC: comments and trailing commas. */
export function parseJson(file: TextFile, comments: boolean): ParsedSyntax {
  const scan = scanTokens(file.text);
  if (scan.tooDeepAt !== null) return failed(file, scan.tooDeepAt, `nested deeper than ${MAX_DEPTH} levels`);
  if (scan.empty) return failed(file, 0, 'the file is empty', 'aieval init');
  const errors: ParseError[] = [];
  const tree = parseTree(file.text, errors, { allowTrailingComma: true, disallowComments: false });
  const relaxed = comments ? [] : relaxedProblems(file, scan);
  const [first] = errors.sort((a, b) => a.offset - b.offset);
  // What follows the first error is mostly its echo.
  if (first !== undefined || tree === undefined) return { root: null, problems: [jsonErrorProblem(file, tree, first), ...relaxed] };
  return { root: syntaxNode(tree), problems: relaxed };
}

type Scan = {
  readonly tooDeepAt: number | null;
  readonly empty: boolean;
  readonly commentAt: number | null;
  readonly trailingCommaAt: number | null;
};

/**
 * One pass over the tokens, before the parser: it recurses, and it forgets comments. A token is known by its first character:
 * the scanner's own names are a `const enum`, which does not survive compilation file by file.
 */
function scanTokens(text: string): Scan {
  const scanner = createScanner(text, false);
  let depth = 0;
  let commaAt: number | null = null;
  let tooDeepAt: number | null = null;
  let commentAt: number | null = null;
  let trailingCommaAt: number | null = null;
  let empty = true;
  for (scanner.scan(); scanner.getTokenLength() > 0 && tooDeepAt === null; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const first = text.charAt(offset);
    if (first === '/') commentAt ??= offset;
    if (first === '/' || first.trim() === '') continue;
    empty = false;
    if ('{['.includes(first)) depth += 1;
    if (depth > MAX_DEPTH) tooDeepAt = offset;
    if ('}]'.includes(first)) {
      depth -= 1;
      trailingCommaAt ??= commaAt;
    }
    commaAt = first === ',' ? offset : null;
  }
  return { tooDeepAt, empty, commentAt, trailingCommaAt };
}

function relaxedProblems(file: TextFile, { commentAt, trailingCommaAt }: Scan): Problem[] {
  const hint = `rename to ${file.name.replace(/\.json$/i, '')}.jsonc`;
  const problem = (offset: number, what: string) => problemAt(file, offset, { code: 'E02', path: [], what, hint });
  return [
    ...(commentAt === null ? [] : [problem(commentAt, 'JSON has no comments')]),
    ...(trailingCommaAt === null ? [] : [problem(trailingCommaAt, 'JSON has no trailing commas')]),
  ];
}

function failed(file: TextFile, offset: number, what: string, hint: string | null = null): ParsedSyntax {
  return { root: null, problems: [problemAt(file, offset, { code: 'E02', path: [], what, hint })] };
}

function syntaxNode(node: Node): SyntaxNode {
  const { offset, children = [] } = node;
  if (node.type === 'array') return { kind: 'list', offset, items: children.map(syntaxNode) };
  if (node.type !== 'object') return { kind: 'scalar', offset, value: scalar(node.value) };
  const entries = children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key: String(key.value), keyOffset: key.offset, node: syntaxNode(value) }],
  );
  return { kind: 'map', offset, entries };
}

function scalar(value: unknown): null | boolean | number | string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}
