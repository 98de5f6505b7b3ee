import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { aieval, type Ended } from '../cli/binary.ts';

/** A folder with a manifest and documents, as a user has it. */
export type Project = {
  readonly dir: string;
  /** Runs the real program there. */
  readonly aieval: (...args: string[]) => Promise<Ended>;
  readonly write: (path: string, content: string | Uint8Array) => void;
  readonly read: (path: string) => string;
  readonly remove: () => void;
};

export type ProjectOptions = {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
};

export function project({ files = {}, env = {} }: ProjectOptions = {}): Project {
  const dir = mkdtempSync(join(tmpdir(), 'aieval-e2e-'));
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return {
    dir,
    aieval: (...args) => aieval(args, { cwd: dir, env }),
    write,
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, required: ['quote'], properties: { quote: { type: 'string' } } },
    },
  },
};

/** One model at `baseUrl`, one task that asks for quotes, every `docs/*.md`; parts may be replaced. */
export function manifest(baseUrl: string, parts: object = {}): string {
  const value = {
    version: 1,
    name: 'e2e',
    documents: ['docs/*.md'],
    providers: { lab: { type: 'openai', baseUrl } },
    models: { small: { provider: 'lab', model: 'small', price: { inputPerMTok: 1, outputPerMTok: 2 }, params: { maxOutputTokens: 100 } } },
    tasks: {
      quotes: {
        prompt: '{{document}}\n\nQuote one sentence.',
        output: { schema: SCHEMA },
        checks: [{ type: 'evidence', at: '/findings/*/quote' }],
      },
    },
    ...parts,
  };
  return JSON.stringify(value, null, 2);
}

/** `count` documents, each with a sentence of its own. */
export function documents(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2, '0'));
  return Object.fromEntries(names.map((name) => [`docs/${name}.md`, `# Part ${name}\n\nDevice ${name} shall answer within 5 ms.\n`]));
}

/** The sentence of the document in a prompt: an answer that the evidence check accepts. */
export function goodAnswer(prompt: string): { findings: { quote: string }[] } {
  const quote = /Device \d+ shall answer within 5 ms\./.exec(prompt)?.[0] ?? '';
  return { findings: [{ quote }] };
}

/** The last line of `--json`. */
export function lastRecord(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
}

/** A summary as stdout has it: without links, because nobody knows where they would lead from there. */
export function withoutLinks(markdown: string): string {
  return markdown.replace(/\[(`[^`]*`)\]\([^)]*\)/g, '$1');
}
