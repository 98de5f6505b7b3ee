import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  Parser,
  type YAMLError,
} from 'yaml';
import { type Problem, problemAt } from './problem.ts';
import { maskSecrets } from './secret-text.ts';
import { MAX_DEPTH, type SyntaxNode } from './source.ts';
import type { ParsedSyntax } from './syntax-json.ts';
import { lineAt, type TextFile } from './text-file.ts';

/** Aliases may repeat what they name, but not blow up a small file. */
const MAX_NODES = 100_000;

/**
 * Parses one YAML 1.2 document of the core schema: plain values only, anchors and aliases with limits, no custom tags, no merge
 * keys. The depth is checked on the flat token tree first: on deep input the composer's recursion can end the whole process.
 */
export function parseYaml(file: TextFile): ParsedSyntax {
  const fail = (offset: number, what: string, hint: string | null = null): ParsedSyntax => ({
    root: null,
    problems: [problemAt(file, offset, { code: 'E02', path: [], what, hint })],
  });
  const tokens = [...new Parser().parse(file.text)];
  const tooDeepAt = offsetTooDeep(tokens);
  if (tooDeepAt !== null) return fail(tooDeepAt, `nested deeper than ${MAX_DEPTH} levels`);
  const [document, second] = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, strict: true }).compose(tokens);
  const [error] = [document, second].flatMap((each) => (each === undefined ? [] : [...each.errors, ...each.warnings]));
  if (error !== undefined) return fail(error.pos[0], wordingOf(file, error));
  if (second !== undefined) return fail(second.range[0], 'only one YAML document is allowed in a file');
  if (document === undefined || document.contents === null) return fail(0, 'the file is empty', 'aieval init');
  return convert(file, document);
}

/** Without what it repeats of a line that holds a secret. */
function wordingOf(file: TextFile, { message, pos: [offset] }: YAMLError): string {
  const text = lineAt(file, offset);
  const [line = message] = message.split(maskSecrets(text) === text ? '\n' : /[:\n]/);
  return `${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}

/** Offset of the first token below the depth limit; `null` when there is none. Does not recurse. */
function offsetTooDeep(tokens: readonly CST.Token[]): number | null {
  const open: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH + 1) return token.offset;
    for (const child of childrenOf(token)) open.push({ token: child, depth: depth + 1 });
  }
  return null;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child !== undefined && child !== null));
}

class Unusable extends Error {
  readonly offset: number;

  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

function convert(file: TextFile, document: Document.Parsed): ParsedSyntax {
  try {
    return { root: new Converter().node(document.contents, 0), problems: [] };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const problem: Problem = problemAt(file, error.offset, { code: 'E02', path: [], what: error.message });
    return { root: null, problems: [problem] };
  }
}

/** Walks the nodes in document order, so that an alias finds the last anchor before it. */
class Converter {
  readonly #anchors = new Map<string, ParsedNode>();
  #count = 0;
  /** The alias in the text itself that is being expanded. */
  #expanding: number | null = null;

  node(node: ParsedNode | null, depth: number): SyntaxNode {
    if (node === null) return { kind: 'scalar', offset: 0, value: null };
    const offset = node.range[0];
    this.#count += 1;
    if (this.#count > MAX_NODES) throw new Unusable(this.#expanding ?? offset, `aliases expand to more than ${MAX_NODES} values`);
    if (depth > MAX_DEPTH) throw new Unusable(this.#expanding ?? offset, `nested deeper than ${MAX_DEPTH} levels`);
    if (isAlias(node)) return this.#alias(node, offset, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isSeq(node)) return { kind: 'list', offset, items: node.items.map((item) => this.node(item, depth + 1)) };
    if (isMap(node)) return { kind: 'map', offset, entries: node.items.map(({ key, value }) => this.#entry(key, value, depth + 1)) };
    return { kind: 'scalar', offset, value: scalarOf(node.value, offset) };
  }

  #alias(alias: Alias.Parsed, offset: number, depth: number): SyntaxNode {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) throw new Unusable(offset, `alias *${alias.source} has no anchor before it`);
    const outer = this.#expanding;
    this.#expanding ??= offset;
    const node = this.node(target, depth + 1);
    this.#expanding = outer;
    return { ...node, offset };
  }

  #entry(key: ParsedNode, value: ParsedNode | null, depth: number) {
    const keyOffset = key.range[0];
    if (!isScalar(key)) throw new Unusable(keyOffset, 'a key must be a plain text');
    const node = value === null ? ({ kind: 'scalar', offset: keyOffset, value: null } as const) : this.node(value, depth);
    return { key: typeof key.value === 'string' ? key.value : (key.source ?? ''), keyOffset, node };
  }
}

function scalarOf(value: unknown, offset: number): null | boolean | number | string {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Unusable(offset, 'only texts, numbers, true, false and null are allowed here');
}
