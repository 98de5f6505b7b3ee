import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { maskAddresses } from '../../domain/manifest/secret-text.ts';
import type { CacheSelection } from '../../store/cache-store.ts';
import type { Store } from '../../store/store.ts';
import type { CacheClearOptions, CacheInvalidateOptions } from '../commands/options.ts';
import { canAsk, confirm } from '../confirm.ts';
import { openState } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { counted } from '../terminal/format.ts';

const EVERYTHING: CacheSelection = { model: null, namespace: null, endpoint: null, storedBeforeMs: null };
const DAY_MS = 86_400_000;

/** `aieval cache clear`: the cache is empty afterwards. Runs keep their own answers. */
export async function cacheClearCommand(io: CliIo, globals: Globals, options: CacheClearOptions): Promise<number> {
  return await onStore(io, globals, async (store) => {
    const found = await store.invalidateCache(EVERYTHING, { dryRun: true });
    const nothing = found.entries + found.knownBad === 0;
    if (!nothing && options.yes !== true && !(await agreed(io, found))) return say(io, globals, NOTHING);
    return say(io, globals, await store.invalidateCache(EVERYTHING));
  });
}

const NOTHING: Dropped = { entries: 0, knownBad: 0 };

async function agreed(io: CliIo, found: Dropped): Promise<boolean> {
  if (canAsk(io)) return await confirm(io, `Drop ${droppedText(found)}, which later runs would pay for again?`);
  const message = `cache clear would drop ${droppedText(found)}; nothing was dropped, because nobody can be asked here.`;
  throw new UserError({
    code: 'E36',
    exitCode: EXIT.usage,
    message,
    next: ['aieval cache clear --yes', 'aieval cache export cache.jsonl'],
  });
}

/** `aieval cache invalidate`: drops the answers that all given options name. */
export async function cacheInvalidateCommand(io: CliIo, globals: Globals, options: CacheInvalidateOptions): Promise<number> {
  const selection = selectionOf(io, options);
  return await onStore(io, globals, async (store) => {
    const dropped = await store.invalidateCache(selection, { dryRun: options.dryRun === true });
    if (dropped.entries + dropped.knownBad === 0) await tellNoMatch(io, store, selection);
    return say(io, globals, dropped, options.dryRun === true ? 'Would drop' : 'Dropped');
  });
}

function selectionOf(io: CliIo, { model, namespace, endpoint, before, olderThan }: CacheInvalidateOptions): CacheSelection {
  const selection: CacheSelection = {
    model: model ?? null,
    namespace: namespace ?? null,
    // Keys hold it without a slash at its end.
    endpoint: endpoint?.replace(/\/+$/, '') ?? null,
    storedBeforeMs: before ?? (olderThan === undefined ? null : io.now() - olderThan * DAY_MS),
  };
  if (Object.values(selection).some((part) => part !== null)) return selection;
  const message = 'cache invalidate needs to know which answers: --model, --namespace, --endpoint, --before or --older-than';
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: ['aieval cache stats', 'aieval cache clear'] });
}

/** A name that matches nothing is more often misspelt than meant. */
async function tellNoMatch(io: CliIo, store: Store, selection: CacheSelection): Promise<void> {
  const { byModel, entries, knownBad } = await store.cacheStats();
  if (entries + knownBad === 0) return;
  const models = byModel.length === 0 ? '' : `; there are answers of ${byModel.map(({ model }) => oneLine(model)).join(', ')}`;
  for (const part of ['model', 'namespace', 'endpoint'] as const) {
    const name = selection[part];
    if (name === null) continue;
    const found = await store.invalidateCache({ ...EVERYTHING, [part]: name }, { dryRun: true });
    if (found.entries + found.knownBad > 0) continue;
    io.stderr.write(`note: no answer of ${part} "${oneLine(maskAddresses(name))}" is here${part === 'model' ? models : ''}\n`);
  }
}

type Dropped = { readonly entries: number; readonly knownBad: number };

function say(io: CliIo, globals: Globals, dropped: Dropped, verb = 'Dropped'): number {
  const { entries, knownBad } = dropped;
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, entries, knownBad })}\n`);
  else if (!globals.quiet) io.stdout.write(`${verb} ${droppedText(dropped)}.\n`);
  return EXIT.pass;
}

function droppedText({ entries, knownBad }: Dropped): string {
  return knownBad === 0 ? counted(entries, 'answer') : `${counted(entries, 'answer')} and ${knownBad} known to be bad`;
}

async function onStore(io: CliIo, globals: Globals, work: (store: Store) => Promise<number>): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
