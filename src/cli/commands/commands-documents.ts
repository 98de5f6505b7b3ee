import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples, type Invoke } from './command-parts.ts';
import { type ExtractOptions, FILE_FORMATS, type QuoteOptions } from './options.ts';

/** What a document is to a model, and what a quote of it is worth. No manifest and no database needed. */
export function addExtract(program: Command, invoke: Invoke): void {
  withFileOptions(
    program
      .command('extract')
      .summary('print a document as a model would see it')
      .description(
        'Prints the text of a document as a model would see it, and on stderr what is known of it: format, pages, sections, tokens, what ' +
          'was left out. Offsets that other commands name are those of this text. Exit 2 when it has no usable text.',
      )
      .argument('<file>', 'PDF, HTML, DOCX, Markdown, AsciiDoc, LaTeX, RFC or plain text; - reads stdin'),
  )
    .addOption(new Option('--sections', 'print its sections instead').conflicts('chunks'))
    .option('--chunks', 'print the parts in which a task with "chunk" would ask it instead')
    .addOption(new Option('--by <what>', 'with --chunks: where parts begin; default section').choices(['section', 'tokens']))
    .option('--max-tokens <n>', 'with --chunks: tokens of one part; default 16000', positiveInteger)
    .option('--overlap <n>', 'with --chunks: tokens of the part before that are repeated; default 200', wholeNumber)
    .addHelpText(
      'after',
      examples(
        ['aieval extract spec.pdf | less', 'its text'],
        ['aieval extract spec.pdf --sections', 'its headings, with page and line'],
        ['aieval extract spec.pdf --chunks --max-tokens 8000', 'how it would be cut'],
        ['aieval extract spec.pdf --json', 'pages, sections and offsets, for scripts'],
      ),
    )
    .action((file: string, options: ExtractOptions) =>
      invoke(async (io, globals) => (await import('../documents/extract.ts')).extractCommand(io, globals, file, options)),
    );
}

/** Where a quote stands. */
export function addQuote(program: Command, invoke: Invoke): void {
  withFileOptions(
    program
      .command('quote')
      .summary('look a quote up in a document')
      .description(
        'Says whether a document has a quote, and where, as an "evidence" check would: exit 0 when it is verified or honestly shortened, ' +
          '1 when it is rejected, 9 when it is near and a person must look.',
      )
      .argument('<file>', 'the document; - reads stdin')
      .argument('<text>', 'the quote; - reads it from stdin'),
  )
    .option('--page <n>', 'the page on which it is said to stand', positiveInteger)
    .option('--line <n>', 'the line on which it is said to stand', positiveInteger)
    .option('--min-chars <n>', 'shorter quotes prove nothing', wholeNumber, DEFAULT_MIN_CHARS)
    .addHelpText(
      'after',
      examples(
        ['aieval quote spec.pdf "MUST NOT be empty"', 'where it stands'],
        ['aieval quote spec.pdf - < quote.txt', 'a quote from a file'],
        ['aieval quote spec.pdf "up to 1023" --page 7 --json', 'for scripts'],
      ),
    )
    .action((file: string, text: string, options: QuoteOptions) =>
      invoke(async (io, globals) => (await import('../documents/quote.ts')).quoteCommand(io, globals, file, text, options)),
    );
}

/** As the manifest's. */
const DEFAULT_MIN_CHARS = 12;

function withFileOptions(command: Command): Command {
  return command
    .addOption(new Option('--format <format>', 'its format, when the content does not show it').choices(FILE_FORMATS))
    .option('--charset <name>', 'its character encoding, such as windows-1252')
    .option('--password-env <name>', 'environment variable with the password of an encrypted file');
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected an integer above 0.');
  return Number(text);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected an integer, 0 or more.');
  return Number(text);
}
