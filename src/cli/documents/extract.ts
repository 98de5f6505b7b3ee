import type { PartRule } from '../../documents/chunk/chunk-text.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import { createCutter } from '../../engine/cut-document.ts';
import type { CountedPart } from '../../engine/planned-prompt.ts';
import type { ExtractOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { usableColumns } from '../terminal/look.ts';
import { manyLines } from '../terminal/many-lines.ts';
import { painter } from '../terminal/style.ts';
import { extractRecord } from './extract-record.ts';
import { chunkLines, factLines, sectionLines } from './extract-screen.ts';
import { type ReadFile, readFile } from './read-file.ts';

const OFF_TERMINAL_COLUMNS = 200;
/** As the manifest's, where it knows no limit of the model. */
const DEFAULT_PART_TOKENS = 16_000;

/**
 * `aieval extract FILE`: the text of a document as a model would see it on stdout, what is known of it on stderr; with `--sections` its
 * sections, with `--chunks` the parts in which it would be asked, in the place of the text.
 */
export async function extractCommand(io: CliIo, globals: Globals, file: string, options: ExtractOptions): Promise<number> {
  const rule = await partRule(options);
  const read = await readFile(io, file, options);
  const parts = rule === null ? null : createCutter({ ...read, documentId: read.name })(rule);
  if (globals.json) {
    io.stdout.write(`${jsonLine(extractRecord(read, parts))}\n`);
    return EXIT.pass;
  }
  const columns = usableColumns(io.stderr, Number.POSITIVE_INFINITY);
  const facts = factLines(read, { columns, paint: painter(globals.colour.stderr), onlyWarnings: globals.quiet });
  for (const line of facts) io.stderr.write(`${line}\n`);
  io.stdout.write(product(io, read, parts, options));
  return EXIT.pass;
}

/** How to cut, by the manifest's rules; `null` without `--chunks`. Throws `UserError` for options that mean nothing or too much. */
async function partRule(options: ExtractOptions): Promise<PartRule | null> {
  const { chunks, by, maxTokens, overlap } = options;
  if (chunks !== true) {
    const [idle] =
      Object.entries({ '--by': by, '--max-tokens': maxTokens, '--overlap': overlap }).find(([, value]) => value !== undefined) ?? [];
    if (idle !== undefined) throw usage(`${idle} says how parts are cut, so it needs --chunks`);
    return null;
  }
  return await ruleOf(by ?? 'section', maxTokens ?? DEFAULT_PART_TOKENS, overlap);
}

async function ruleOf(by: PartRule['by'], maxTokens: number, overlap: number | undefined): Promise<PartRule> {
  const { defaultOverlap, mostOverlap } = await import('../../domain/manifest/schema-parts.ts');
  const most = mostOverlap(maxTokens);
  if (overlap !== undefined && overlap > most) throw usage(`--overlap ${overlap} is more than a quarter of --max-tokens (${most})`);
  return { by, maxTokens, overlap: overlap ?? defaultOverlap(maxTokens) };
}

function usage(message: string): UserError {
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: ['aieval extract --help'] });
}

/** A pipe gets the very text, to the last character; a terminal must not be commanded by it. */
function product(io: CliIo, { content }: ReadFile, parts: readonly CountedPart[] | null, { sections }: ExtractOptions): string {
  const columns = usableColumns(io.stdout, OFF_TERMINAL_COLUMNS);
  if (parts !== null) return asText(chunkLines(content, parts, columns));
  if (sections === true) return asText(sectionLines(content, columns));
  return io.stdout.isTTY === true ? `${manyLines(content.text)}\n` : content.text;
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
