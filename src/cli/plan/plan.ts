import { unmatchedFiles } from '../../documents/files/unmatched-files.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { ResolvedManifest, ResolvedTask } from '../../domain/manifest/resolved.ts';
import { namedFiles } from '../../engine/load-fields.ts';
import type { CallSum } from '../../engine/plan-cost.ts';
import { timeEstimate } from '../../engine/plan-time.ts';
import type { Pool } from '../../engine/pool.ts';
import type { Store } from '../../store/store.ts';
import type { PlanOptions } from '../commands/options.ts';
import { originsOf } from '../config/config-origins.ts';
import { readState } from '../context.ts';
import { underPrivacy } from '../display/bare.ts';
import { createDisplay } from '../display/create-display.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { openPool } from '../open-pool.ts';
import { usableColumns } from '../terminal/look.ts';
import { shortPath } from '../terminal/short-path.ts';
import { wrapped } from '../terminal/wrap.ts';
import { tellCopied } from '../told-store.ts';
import { expectedTooMuch, worstTooMuch } from './budget-words.ts';
import { documentFaults } from './document-mends.ts';
import { documentNotes } from './document-notes.ts';
import { gateWords } from './gate-words.ts';
import { fatesOf, withoutCache } from './job-fates.ts';
import { keyNotes } from './key-notes.ts';
import { otherRunsNote } from './other-runs.ts';
import { readOutlook } from './outlook.ts';
import { jobTsv } from './plan-list.ts';
import { planRecord } from './plan-record.ts';
import { optionsOf, type PlanParts, type PlanView, planLines, runOf } from './plan-screen.ts';
import { tallied } from './plan-tally.ts';
import { type LoadedManifest, type Prepared, prepare, readManifest } from './prepare.ts';
import { tagNotes } from './tag-notes.ts';
import { unaskedNotes } from './unasked-notes.ts';
import { unmatchedNotes } from './unmatched-notes.ts';
import { whyOf } from './why.ts';
import { findPlanned } from './why-job.ts';
import { whyLines, whyRecord } from './why-screen.ts';

/**
 * `aieval plan MANIFEST`: what a run would do and cost. Calls nobody and creates nothing. Returns the exit code; throws `UserError` E19
 * (exit 6), with the plan on stdout all the same, when more is expected than the budget allows; exit 3 when nothing can be asked.
 */
export async function planCommand(io: CliIo, globals: Globals, argument: string, options: PlanOptions): Promise<number> {
  const loaded = await readManifest(io, argument, options);
  // What is known already and what was spent, from the database if there is one.
  const state = await readState(io, { manifestPath: loaded.path, db: globals.db, out: globals.out });
  const store = state?.store ?? null;
  if (state !== null) await tellCopied(io, globals, state.place.db);
  const display = underPrivacy(await createDisplay({ ...globals, json: false }, io), io, loaded.manifest);
  const pool = openPool();
  try {
    const manifest = options.cache ? loaded.manifest : withoutCache(loaded.manifest);
    const prepared = await prepare(io, { ...loaded, manifest }, { pool, store, onEvent: display.onEvent }, options);
    display.close();
    const view = await look(io, { store, pool, prepared, loaded, again: againWords(options) });
    if (options.why !== undefined) return await tellWhy(io, globals, { store, view, name: options.why });
    return await tellPlan(io, globals, view, {
      isListed: options.list === true,
      origins: options.verbose === true ? originsOf(loaded, globals, options) : null,
    });
  } finally {
    display.close();
    await pool.close();
    await store?.close();
  }
}

type WhyInput = { readonly store: Store | null; readonly view: PlanView; readonly name: string };

async function tellWhy(io: CliIo, globals: Globals, { store, view, name }: WhyInput): Promise<number> {
  const { prepared, fates } = view;
  const fate = await findPlanned({ store, prepared, fates, cwd: io.cwd }, name);
  const why = await whyOf({ store, prepared, fate });
  const lines = globals.json
    ? [jsonLine(whyRecord(prepared, why))]
    : whyLines(prepared, why, runOf(io, view)).flatMap((line) => fitted(io, line.startsWith(NEXT) ? asTyped(line, io.notes.lead) : line));
  io.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.pass;
}

const NEXT = 'next: ';

/** A command stays one line, to be copied. */
function fitted({ stdout }: CliIo, line: string): string[] {
  return line.startsWith(NEXT) ? [line] : wrapped(line, usableColumns(stdout, Number.POSITIVE_INFINITY));
}

type Told = Pick<PlanParts, 'origins'> & { readonly isListed: boolean };

async function tellPlan(io: CliIo, globals: Globals, view: PlanView, told: Told): Promise<number> {
  const { prepared, tally, outlook } = view;
  const tooMuch = expectedTooMuch(outlook.bounds, {
    manifest: prepared.manifest,
    manifestPath: shortPath(prepared.manifestPath, io.cwd),
    origins: prepared.origins,
    options: optionsOf(view),
    firstJobs: (share) => tally.firstJobs(share),
  });
  await print(io, globals, view, { ...told, next: tooMuch === null });
  if (tooMuch !== null) throw tooMuch;
  // As the run would.
  return tally.counts().jobs === 0 ? EXIT.incomplete : EXIT.pass;
}

async function print(io: CliIo, globals: Globals, view: PlanView, { isListed, ...parts }: Told & Pick<PlanParts, 'next'>): Promise<void> {
  // Off a terminal a list is for `cut` and `awk`: nothing else stands in it.
  if (isListed && !globals.json && io.stdout.isTTY !== true) {
    for await (const lines of jobTsv(view.prepared, view.fates())) io.stdout.write(`${lines.join('\n')}\n`);
    return;
  }
  const list = isListed ? await all(view.fates()) : null;
  const lines = globals.json ? [jsonLine(planRecord(view, { ...parts, list }))] : planLines(io, view, { ...parts, list });
  io.stdout.write(`${lines.join('\n')}\n`);
}

async function all<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

/** Options that change what a run does, but those that select. */
function againWords({ profile, maxCost, maxJobs, concurrency, cache }: PlanOptions): string[] {
  const values = { profile, 'max-cost': maxCost, 'max-jobs': maxJobs, concurrency };
  const words = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
  return cache ? words : [...words, '--no-cache'];
}

type LookInput = {
  readonly store: Store | null;
  readonly pool: Pool;
  readonly prepared: Prepared;
  readonly loaded: LoadedManifest;
  readonly again: PlanView['again'];
};

async function look(io: CliIo, { store, pool, prepared, loaded, again }: LookInput): Promise<PlanView> {
  const { manifest, plan } = prepared;
  const fates = () => fatesOf(store, prepared, pool);
  const means = store === null ? [] : await store.outputMeans();
  const tally = await tallied(manifest, means, fates());
  const nowMs = io.now();
  const sums = tally.sums();
  const outlook = await readOutlook(store, { manifest, identity: plan.identity, sums, nowMs });
  const time = timeEstimate({ manifest, routes: prepared.routes, sums, means });
  const warnings = [
    ...loaded.warnings,
    ...plan.warnings,
    ...documentNotes(prepared.documents, MOST_NOTES),
    ...tally.tooLong.warnings(),
    ...tally.longReduces.warnings(),
    ...oldPrices(manifest, nowMs),
    ...worstTooMuch(outlook.bounds, prepared),
    ...gateWords(manifest.gate, tally.results),
  ];
  const notes = [
    ...(await unmatched(io, loaded, prepared)),
    ...(prepared.selected === null ? unaskedNotes(loaded) : []),
    ...tagNotes(askedTasks(manifest, sums)),
    ...keyNotes(io, manifest, tally.providers()),
    ...(await otherRunsNote(store, { manifest, identity: plan.identity })),
  ];
  const faults = documentFaults(io, prepared.documents, loaded);
  const isFirstRun = store === null || !(await store.listRuns()).some(({ name }) => name === manifest.name);
  return { prepared, tally, fates, outlook, time, again, warnings, faults, notes, fixes: tally.tooLong.fixes(), isFirstRun };
}

/** Known answers are taken by any machine. */
function askedTasks({ tasks }: ResolvedManifest, sums: readonly CallSum[]): ResolvedTask[] {
  const asked = new Set(sums.map(({ task }) => task));
  return Object.values(tasks).filter(({ id }) => asked.has(id));
}

const MOST_NOTES = 1000;

/** Of the whole manifest alone: whoever selects some documents means these. */
async function unmatched(
  { cwd }: CliIo,
  { source, baseDir, documents }: LoadedManifest,
  { manifest, selected }: Prepared,
): Promise<string[]> {
  if (selected !== null) return [];
  const others = new Set(namedFiles({ source, cwd }));
  return unmatchedNotes(await unmatchedFiles(baseDir, { files: documents, entries: manifest.documents, others }));
}

const OLD_MS = 180 * 86_400_000;

function oldPrices({ models }: ResolvedManifest, nowMs: number): string[] {
  return Object.values(models).flatMap(({ id, price }) => {
    if (price === null || price === 'free' || price.asOf === undefined || nowMs - Date.parse(price.asOf) <= OLD_MS) return [];
    return [`the price of model ${JSON.stringify(id)} is of ${price.asOf}: check it, and state models.${id}.price in the manifest`];
  });
}
