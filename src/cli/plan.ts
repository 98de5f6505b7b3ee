import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Store } from '../store/store.ts';
import { expectedTooMuch, worstTooMuch } from './budget-words.ts';
import { readState } from './context.ts';
import { createDisplay } from './display/create-display.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import type { PlanOptions } from './options.ts';
import { readOutlook } from './outlook.ts';
import { planRecord } from './plan-record.ts';
import { type PlanView, planLines } from './plan-screen.ts';
import { type Prepared, prepare, readManifest } from './prepare.ts';
import { shortPath } from './terminal/short-path.ts';
import { fatesOf, toCall } from './to-call.ts';
import { tooLongJobs } from './too-long.ts';

/**
 * `aieval plan MANIFEST`: what a run would do and cost. Calls nobody and creates nothing. Returns the exit code; throws `UserError` E19
 * (exit 6), with the plan on stdout all the same, when more is expected than the budget allows.
 */
export async function planCommand(io: CliIo, globals: Globals, argument: string, options: PlanOptions): Promise<number> {
  const loaded = await readManifest(io, argument, options);
  const display = await createDisplay({ ...globals, json: false }, io);
  const pool = openPool();
  try {
    const prepared = await prepare(io, loaded, { pool, onEvent: display.onEvent });
    display.close();
    const view = await viewOf(io, globals, prepared, loaded.warnings);
    const tooMuch = expectedTooMuch(view.outlook.bounds, { ...prepared, manifestPath: shortPath(prepared.manifestPath, io.cwd) });
    if (globals.json) io.stdout.write(`${JSON.stringify(planRecord(view))}\n`);
    else for (const line of planLines(io, view, { list: options.list === true, next: tooMuch === null })) io.stdout.write(`${line}\n`);
    if (tooMuch !== null) throw tooMuch;
    return EXIT.pass;
  } finally {
    display.close();
    await pool.close();
  }
}

/** What is known already and what was spent, from the database if there is one. */
async function viewOf(io: CliIo, globals: Globals, prepared: Prepared, found: readonly string[]): Promise<PlanView> {
  const state = await readState(io, { manifestPath: prepared.manifestPath, db: globals.db, out: globals.out });
  try {
    return await look(io, state?.store ?? null, prepared, found);
  } finally {
    await state?.store.close();
  }
}

async function look(io: CliIo, store: Store | null, prepared: Prepared, found: readonly string[]): Promise<PlanView> {
  const { manifest, plan } = prepared;
  const fates = await fatesOf(store, manifest, plan.jobs);
  const nowMs = io.now();
  const outlook = await readOutlook(store, { manifest, identity: plan.identity, jobs: toCall(manifest, fates).jobs, nowMs });
  const worst = worstTooMuch(outlook.bounds, prepared);
  const tooLong = tooLongJobs(prepared);
  const warnings = [...found, ...documentWarnings(prepared), ...tooLong.warnings, ...oldPrices(manifest, nowMs), ...worst];
  return { prepared, fates, outlook, warnings, fixes: tooLong.fixes };
}

function documentWarnings({ documents }: Prepared): string[] {
  return [
    ...documents.flatMap(({ documentId, extraction }) =>
      extraction.ok ? extraction.content.warnings.map((text) => `${documentId}: ${text}`) : [],
    ),
    ...documents.flatMap(({ documentId, extraction }) =>
      extraction.ok ? [] : [`${documentId}: ${extraction.reason}: ${extraction.message}`],
    ),
  ];
}

const OLD_MS = 180 * 86_400_000;

function oldPrices({ models }: ResolvedManifest, nowMs: number): string[] {
  return Object.values(models).flatMap(({ id, price }) => {
    if (price === null || price === 'free' || price.asOf === undefined || nowMs - Date.parse(price.asOf) <= OLD_MS) return [];
    return [`the price of model ${JSON.stringify(id)} is of ${price.asOf}: check it, and state models.${id}.price in the manifest`];
  });
}
