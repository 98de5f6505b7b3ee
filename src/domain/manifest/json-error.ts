import { type Node, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { type Problem, problemAt } from './problem.ts';
import { maskSecrets } from './secret-text.ts';
import { positionAt, type TextFile } from './text-file.ts';

type Wording = { readonly what: string; readonly hint: string | null };

/** What the parser tripped over, in words that say what to type. */
export function jsonErrorProblem(file: TextFile, tree: Node | undefined, error: ParseError | undefined): Problem {
  const offset = error?.offset ?? 0;
  return problemAt(file, offset, { code: 'E02', path: [], ...wordingOf(file, tree, error) });
}

function wordingOf(file: TextFile, tree: Node | undefined, error: ParseError | undefined): Wording {
  if (error === undefined) return { what: 'expected a value', hint: null };
  const before = lastValueBefore(tree, error.offset);
  switch (printParseErrorCode(error.error)) {
    case 'CommaExpected':
      return missingComma(file, before, error.offset);
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return notClosed(file, tree, error);
    case 'InvalidSymbol':
      return { what: `unexpected ${shown(file, error)}`, hint: 'keys and texts stand in double quotes' };
    case 'ValueExpected':
      return { what: `expected a value, got ${shown(file, error)}`, hint: null };
    case 'PropertyNameExpected':
      return { what: `expected a key in double quotes, got ${shown(file, error)}`, hint: null };
    default:
      return { what: OTHER_ERRORS.get(printParseErrorCode(error.error)) ?? `unexpected ${shown(file, error)}`, hint: null };
  }
}

const OTHER_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ColonExpected', "expected ':' after the key"],
  ['EndOfFileExpected', 'unexpected text after the end of the value'],
  ['InvalidNumberFormat', 'not a number'],
  ['UnexpectedEndOfComment', "the comment is not closed: expected '*/'"],
  ['UnexpectedEndOfString', "the text is not closed: expected '\"' on the same line"],
  ['UnexpectedEndOfNumber', 'the number is not complete'],
  ['InvalidUnicode', 'expected four hexadecimal digits after \\u'],
  ['InvalidEscapeCharacter', 'unknown escape in a text: a backslash is written \\\\'],
  ['InvalidCharacter', 'control character in a text: write \\n or \\t'],
]);

type Before = { readonly node: Node; readonly parent: Node; readonly index: number };

function missingComma(file: TextFile, before: Before | null, offset: number): Wording {
  if (before === null) return { what: "expected ','", hint: null };
  const { node, parent, index } = before;
  const line = positionAt(file, node.offset + node.length).line;
  const startsValue = /["{[]/.test(file.text.charAt(offset));
  const hint = startsValue ? `add a comma at the end of line ${line}` : null;
  if (parent.type === 'array') return { what: `expected ',' or ']' after item ${index + 1}`, hint };
  const [key] = node.children ?? [];
  return { what: `expected ',' or '}' after ${JSON.stringify(String(key?.value))} value`, hint };
}

function notClosed(file: TextFile, tree: Node | undefined, error: ParseError): Wording {
  const bracket = printParseErrorCode(error.error) === 'CloseBraceExpected' ? '}' : ']';
  const opened = deepestOpen(tree, bracket === '}' ? 'object' : 'array');
  const at = opened === null ? '' : ` to close line ${positionAt(file, opened.offset).line}`;
  return { what: `expected '${bracket}'${at}, got ${shown(file, error)}`, hint: null };
}

const SHOWN_CHARACTERS = 20;

/** Masked in its place: of a piece alone nobody knows that it is one of a secret. */
function shown(file: TextFile, error: ParseError): string {
  const text = maskSecrets(file.text).slice(error.offset, error.offset + Math.max(1, error.length));
  if (text === '') return 'the end of the file';
  return text.length > SHOWN_CHARACTERS ? `'${text.slice(0, SHOWN_CHARACTERS)}…'` : `'${text}'`;
}

/** The property or item that ends last before `offset`: what a missing comma should follow. */
function lastValueBefore(tree: Node | undefined, offset: number): Before | null {
  let found: Before | null = null;
  const visit = (parent: Node): void => {
    for (const [index, node] of (parent.children ?? []).entries()) {
      visit(node);
      const end = node.offset + node.length;
      const inside = parent.type === 'object' || parent.type === 'array';
      if (inside && end <= offset && (found === null || end >= found.node.offset + found.node.length)) found = { node, parent, index };
    }
  };
  if (tree !== undefined) visit(tree);
  return found;
}

/** The innermost container at the end of the text: the last child of the last child. */
function deepestOpen(tree: Node | undefined, type: 'object' | 'array'): Node | null {
  let found: Node | null = null;
  for (let node = tree; node !== undefined; node = node.children?.at(-1)) if (node.type === type) found = node;
  return found;
}
