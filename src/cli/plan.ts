import { oneLine } from '../domain/hostile-text.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { advised } from '../domain/next-step.ts';
import type { Pool } from '../engine/pool.ts';
import type { Store } from '../store/store.ts';
import { expectedTooMuch, worstTooMuch } from './budget-words.ts';
import { readState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import { documentNotes } from './document-notes.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import type { PlanOptions } from './options.ts';
import { readOutlook } from './outlook.ts';
import { planRecord } from './plan-record.ts';
import { countFates, type PlanView, planLines } from './plan-screen.ts';
import { type Prepared, prepare, readManifest } from './prepare.ts';
import { shortPath } from './terminal/short-path.ts';
import { fatesOf, toCall } from './to-call.ts';
import { longReduces, tooLongJobs } from './too-long.ts';

/**
 * `aieval plan MANIFEST`: what a run would do and cost. Calls nobody and creates nothing. Returns the exit code; throws `UserError` E19
 * (exit 6), with the plan on stdout all the same, when more is expected than the budget allows; exit 3 when nothing can be asked.
 */
export async function planCommand(io: CliIo, globals: Globals, argument: string, options: PlanOptions): Promise<number> {
  const loaded = await readManifest(io, argument, options);
  // What is known already and what was spent, from the database if there is one.
  const state = await readState(io, { manifestPath: loaded.path, db: globals.db, out: globals.out });
  const store = state?.store ?? null;
  const display = await createDisplay({ ...globals, json: false }, io);
  const pool = openPool();
  try {
    const prepared = await prepare(io, loaded, { pool, store, onEvent: display.onEvent });
    display.close();
    const view = await look(io, { store, pool, prepared, found: loaded.warnings });
    const tooMuch = expectedTooMuch(view.outlook.bounds, { ...prepared, manifestPath: shortPath(prepared.manifestPath, io.cwd) });
    if (globals.json) io.stdout.write(`${JSON.stringify(planRecord(view))}\n`);
    else for (const line of planLines(io, view, { list: options.list === true, next: tooMuch === null })) io.stdout.write(`${line}\n`);
    if (tooMuch !== null) throw tooMuch;
    // As the run would.
    return countFates(view.fates).jobs === 0 ? EXIT.incomplete : EXIT.pass;
  } finally {
    display.close();
    await pool.close();
    await store?.close();
  }
}

type LookInput = {
  readonly store: Store | null;
  readonly pool: Pool;
  readonly prepared: Prepared;
  /** Warnings about the manifest. */
  readonly found: readonly string[];
};

async function look(io: CliIo, { store, pool, prepared, found }: LookInput): Promise<PlanView> {
  const { manifest, plan } = prepared;
  const fates = await fatesOf(store, prepared, pool);
  const nowMs = io.now();
  const { jobs } = toCall(manifest, fates);
  const outlook = await readOutlook(store, { manifest, identity: plan.identity, jobs, nowMs });
  const tooLong = tooLongJobs(prepared);
  const warnings = [
    ...found,
    ...plan.warnings,
    ...documentWarnings(prepared),
    ...tooLong.warnings,
    ...longReduces(manifest, jobs, outlook.means),
    ...oldPrices(manifest, nowMs),
    ...worstTooMuch(outlook.bounds, prepared),
  ];
  return { prepared, fates, outlook, warnings, fixes: [...documentFixes(prepared), ...tooLong.fixes] };
}

const MOST_NOTES = 1000;
const MOST_FIXES = 10;
const LONGEST_STEP = 1000;

function documentWarnings({ documents }: Prepared): string[] {
  return [
    ...documentNotes(documents, MOST_NOTES),
    ...documents.flatMap(({ documentId, extraction }) =>
      extraction.ok ? [] : [`${documentId}: ${extraction.reason}: ${advised(extraction).what}`],
    ),
  ];
}

/** What mends documents that cannot be asked, each thing once. */
function documentFixes({ documents }: Prepared): string[] {
  const steps = documents.flatMap(({ extraction }) => (extraction.ok ? [] : (advised(extraction).next ?? [])));
  return [...new Set(steps)].slice(0, MOST_FIXES).map((step) => oneLine(step, LONGEST_STEP));
}

const OLD_MS = 180 * 86_400_000;

function oldPrices({ models }: ResolvedManifest, nowMs: number): string[] {
  return Object.values(models).flatMap(({ id, price }) => {
    if (price === null || price === 'free' || price.asOf === undefined || nowMs - Date.parse(price.asOf) <= OLD_MS) return [];
    return [`the price of model ${JSON.stringify(id)} is of ${price.asOf}: check it, and state models.${id}.price in the manifest`];
  });
}
