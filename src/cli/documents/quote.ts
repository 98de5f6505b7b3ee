import { corrections } from '../../checks/claimed-place.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { Evidence } from '../../domain/score.ts';
import { createEvidenceIndex } from '../../evidence/evidence-index.ts';
import { verifyQuote } from '../../evidence/verify-quote.ts';
import type { QuoteOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { usableColumns } from '../terminal/look.ts';
import { painter } from '../terminal/style.ts';
import { quoteRecord } from './quote-record.ts';
import { quoteLines } from './quote-screen.ts';
import { readFile, stdinBytes } from './read-file.ts';

const FROM_STDIN = '-';
/** Far above any quote. */
const LONGEST_QUOTE_BYTES = 1024 * 1024;

/**
 * `aieval quote FILE TEXT`: where a quote stands in a document, or what of it does not. Exit 0 when it is verified or honestly shortened, 1
 * when it is rejected, 9 when a person must look.
 */
export async function quoteCommand(io: CliIo, globals: Globals, file: string, text: string, options: QuoteOptions): Promise<number> {
  if (text === FROM_STDIN && file === FROM_STDIN) throw twice();
  const quote = text === FROM_STDIN ? await readQuote(io) : text;
  const { content, name } = await readFile(io, file, options);
  const claimed = { page: options.page ?? null, line: options.line };
  const evidence = verifyQuote(createEvidenceIndex(content), quote, { minChars: options.minChars, ...claimed });
  const finding = { at: '', quote, evidence, ...corrections(content, claimed, evidence) };
  if (globals.json) io.stdout.write(`${jsonLine(quoteRecord(finding, content))}\n`);
  else {
    const look = { columns: usableColumns(io.stdout, Number.POSITIVE_INFINITY), paint: painter(globals.colour.stdout) };
    for (const line of quoteLines({ name, content, finding }, look)) io.stdout.write(`${line}\n`);
  }
  return exitCodeFor(evidence);
}

function exitCodeFor({ status }: Evidence): number {
  return { verified: EXIT.pass, elided: EXIT.pass, near: EXIT.review, rejected: EXIT.gate }[status];
}

/** Without the line end that `echo` and editors add. */
async function readQuote(io: CliIo): Promise<string> {
  return (await stdinBytes(io, LONGEST_QUOTE_BYTES)).toString('utf8').replace(/\r?\n$/, '');
}

function twice(): UserError {
  const message = 'stdin cannot be both the document and the quote';
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: ['aieval quote --help'] });
}
