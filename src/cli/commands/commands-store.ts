import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples, type Invoke } from './command-parts.ts';
import type { CacheClearOptions, CacheInvalidateOptions, GcOptions } from './options.ts';

/** `cache`: the answers that outlive their runs. */
export function addCache(program: Command, invoke: Invoke): void {
  const cache = program
    .command('cache')
    .summary('look at, drop or share stored answers')
    .description('Care of the answers that later runs are served without a call. Runs keep their own, whatever becomes of these.')
    .addHelpText(
      'after',
      examples(['aieval cache stats', 'what is there'], ['aieval cache export cache.jsonl', 'to take it elsewhere: aieval cache import']),
    );
  addStats(cache, invoke);
  addClear(cache, invoke);
  addInvalidate(cache, invoke);
  addExport(cache, invoke);
  addImport(cache, invoke);
}

function addStats(cache: Command, invoke: Invoke): void {
  cache
    .command('stats')
    .summary('count the stored answers')
    .description('Counts the stored answers and what was paid for them, by model as the provider calls it.')
    .addHelpText('after', examples(['aieval cache stats', 'a table'], ['aieval cache stats --json', 'for scripts']))
    .action(() => invoke(async (io, globals) => (await import('../upkeep/cache-stats.ts')).cacheStatsCommand(io, globals)));
}

function addClear(cache: Command, invoke: Invoke): void {
  cache
    .command('clear')
    .summary('drop all stored answers')
    .description('Drops all stored answers, and what is known to be answered badly: later runs ask, and pay, again.')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      examples(
        ['aieval cache clear', 'asks first'],
        ['aieval cache export all.jsonl && aieval cache clear --yes', 'with a copy, in a script'],
      ),
    )
    .action((options: CacheClearOptions) =>
      invoke(async (io, globals) => (await import('../upkeep/cache-drop.ts')).cacheClearCommand(io, globals, options)),
    );
}

function addInvalidate(cache: Command, invoke: Invoke): void {
  cache
    .command('invalidate')
    .summary('drop some stored answers')
    .description('Drops the stored answers that all given options name. What is known to be answered badly has no age: by age, it stays.')
    .option('--model <model>', 'of this model, as the provider calls it')
    .option('--namespace <name>', 'stored under this cache.namespace')
    .option('--endpoint <url>', 'of this base URL, or provider identity')
    .addOption(new Option('--before <date>', 'stored before this day or time (2026-11-01, 2026-11-01T12:00:00Z)').argParser(timeMs))
    .addOption(new Option('--older-than <days>', 'stored longer ago').argParser(days).conflicts('before'))
    .option('--dry-run', 'count them, and change nothing')
    .addHelpText(
      'after',
      examples(
        ['aieval cache invalidate --model gpt-5-mini', 'the provider has changed it'],
        ['aieval cache invalidate --older-than 90 --dry-run', 'how many are that old'],
      ),
    )
    .action((options: CacheInvalidateOptions) =>
      invoke(async (io, globals) => (await import('../upkeep/cache-drop.ts')).cacheInvalidateCommand(io, globals, options)),
    );
}

function addExport(cache: Command, invoke: Invoke): void {
  cache
    .command('export')
    .summary('write the stored answers to a file')
    .description(
      'Writes the stored answers as JSON lines, in an order of their own, so that the same answers give the same file. They hold what ' +
        'was sent, with the text of the documents, and what came back; no keys and no headers.',
    )
    .argument('[file]', 'file to write; - for stdout', '-')
    .addHelpText(
      'after',
      examples(
        ['aieval cache export cache.jsonl', 'to a file, whole or not at all, and on the disk'],
        ['aieval cache export | gzip > cache.jsonl.gz', 'packed'],
      ),
    )
    .action((file: string) =>
      invoke(async (io, globals) => (await import('../upkeep/cache-export.ts')).cacheExportCommand(io, globals, file)),
    );
}

function addImport(cache: Command, invoke: Invoke): void {
  cache
    .command('import')
    .summary('take in answers that were exported')
    .description(
      'Merges exported answers: of two to one question the later stays, so that files may come in any order, and again. Lines that are ' +
        'damaged, and answers that are not valid, are named and left out. Import what you trust: that an answer is what the model said ' +
        'cannot be proven.',
    )
    .argument('<file...>', 'files to read; - for stdin')
    .addHelpText(
      'after',
      examples(['aieval cache import cache.jsonl', 'one file'], ['gunzip -c *.jsonl.gz | aieval cache import -', 'several, packed']),
    )
    .action((files: readonly string[]) =>
      invoke(async (io, globals) => (await import('../upkeep/cache-import.ts')).cacheImportCommand(io, globals, files)),
    );
}

const KEPT_DAYS = 30;
const KEPT_RUNS = 100;

/** `gc`: what may go. */
export function addGc(program: Command, invoke: Invoke): void {
  program
    .command('gc')
    .summary('remove old runs and what nothing needs')
    .description(
      'Removes ended runs, with their files, that are older than --keep-days and not among the newest --keep-runs: either keeps a run. ' +
        'Then texts and answers that nothing refers to. Answers in the cache stay, unless --cache-days is given. An unfinished run ' +
        'is never touched, nor a file that aieval did not write, nor files that a copied database shares with its original.',
    )
    .addOption(new Option('--keep-days <days>', 'keep runs that ended in the last days').argParser(days).default(KEPT_DAYS))
    .addOption(new Option('--keep-runs <n>', 'keep the newest runs').argParser(count).default(KEPT_RUNS))
    .addOption(new Option('--cache-days <days>', 'drop stored answers that are older').argParser(days))
    .option('--dry-run', 'show what would go, and change nothing')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      examples(
        ['aieval gc', 'shows what would go, then asks'],
        ['aieval gc --keep-days 7 --keep-runs 20 --yes', 'in a script'],
        ['aieval gc --keep-days 0 --keep-runs 0', 'all ended runs'],
      ),
    )
    .action((options: GcOptions) => invoke(async (io, globals) => (await import('../upkeep/gc.ts')).gcCommand(io, globals, options)));
}

const LONGEST_DAYS = 100_000;

function days(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= LONGEST_DAYS) return value;
  throw new InvalidArgumentError('Expected a number of days, 0 or more.');
}

function count(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Expected an integer, 0 or more.');
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A day begins at midnight here, as all times that are shown. */
function timeMs(text: string): number {
  const [, year, month, day, time] = TIME.exec(text) ?? [];
  const ms = isDay(Number(year), Number(month), Number(day)) ? Date.parse(time === undefined ? `${text}T00:00:00` : text) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected a day (2026-11-01) or a time (2026-11-01T12:00:00Z).');
  return ms;
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
