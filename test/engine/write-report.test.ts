import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.ts';
import type { Projection } from '../../src/engine/projections.ts';
import { type ReportLimits, type ReportRequest, writeReport } from '../../src/engine/write-report.ts';
import type { ReportDocument, ReportIndex, ReportJob } from '../../src/report/html/report-data.ts';
import { Bench, Clock, finishOf } from '../store/bench.ts';
import { completion, document, job, MANIFEST, newRun, sha256, worker } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';

const TEXT = `# A title\n${'Nothing is quoted from this line.\n'.repeat(2000)}`;
const ANSWER = { findings: [{ quote: 'answer '.repeat(2000) }] };
const ASKED = { model: 'qwen', messages: [{ role: 'user', content: 'Say what is wrong. '.repeat(1000) }] };
const ROOMY: ReportLimits = { shrinkBytes: 50e6, mostBytes: 200e6 };

let opened: SqliteBench;
let bench: Bench;
let path: string;

beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  path = join(opened.folder, 'report.html');
});
afterEach(() => opened.dispose());

/** A run whose one job was asked with a long text and answered at length. */
async function talkative(manifest = MANIFEST): Promise<Projection> {
  const { store } = bench;
  await store.openRun(newRun('r1', { manifest }));
  await store.addDocuments('r1', [document('long.md', TEXT)]);
  await store.addJobs('r1', [job('j1', 0, { documentId: 'long.md', textSha256: sha256(TEXT) })]);
  await store.markPlanned('r1');
  await store.registerWorker(worker('w1'));
  const claim = await bench.claimed('r1');
  await store.markSent(claim.token);
  await store.recordResponse(claim.token, { ...completion(JSON.stringify(ANSWER)), wireBody: ASKED });
  await bench.finish(finishOf(await bench.accept(claim, ANSWER)), { answer: ANSWER });
  return { store, run: await bench.run('r1'), version: '0.1.0' };
}

const request = (over: Partial<ReportRequest> = {}): ReportRequest => ({
  ...{ path, docs: 'full', artifactsBase: null, assets: { script: '', style: '' } },
  ...over,
});

const block = <T>(id: string): T | null => {
  const [, json = 'null'] = new RegExp(`id="${id}">(.*)</script>`).exec(readFileSync(path, 'utf8')) ?? [];
  return JSON.parse(json);
};

/** What the report at `path` holds. */
function held() {
  const [one] = block<ReportJob[]>('aieval-jobs-0') ?? [];
  const document = block<ReportIndex>('aieval-index')?.documents.findIndex(({ id }) => id === 'long.md');
  return {
    prompts: one?.steps.some(({ messages }) => messages !== undefined) ?? false,
    answers: one?.answer !== undefined,
    document: (block<ReportDocument>(`aieval-document-${document}`)?.excerpts ?? []).length > 0,
    notes: block<ReportIndex>('aieval-index')?.notes,
  };
}

describe('a report that would be too large gives way in a fixed order', () => {
  test('with room it holds what was sent, what came, and whole documents', async () => {
    const { bytes, warnings } = await writeReport(await talkative(), request());
    expect(warnings).toEqual([]);
    expect(bytes).toBe(readFileSync(path).length);
    expect(held()).toEqual({ prompts: true, answers: true, document: true, notes: [] });
  });

  test('first what was sent and came, then the judged answers, then of the documents all but what is cited', async () => {
    const projection = await talkative();
    const seen: { readonly prompts: boolean; readonly answers: boolean; readonly document: boolean }[] = [];
    // Each report is a byte too large for the next.
    for (let shrinkBytes = (await writeReport(projection, request())).bytes - 1; seen.length < 3; ) {
      const { bytes, warnings } = await writeReport(projection, request(), { shrinkBytes, mostBytes: 200e6 });
      const { notes, ...rest } = held();
      expect(warnings).toEqual(notes);
      expect(notes?.join()).toMatch(/^Left out, because the report would have more than \d MB: the prompts and the answers as they came/);
      seen.push(rest);
      shrinkBytes = bytes - 1;
    }
    expect(seen).toEqual([
      { prompts: false, answers: true, document: true },
      { prompts: false, answers: false, document: true },
      { prompts: false, answers: false, document: false },
    ]);
  });

  test('the smallest may be larger than that, and says so', async () => {
    const { bytes, warnings } = await writeReport(await talkative(), request(), { shrinkBytes: 100, mostBytes: 200e6 });
    expect(bytes).toBeGreaterThan(100);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toBe('the report has 1 MB: a browser takes a while to open it');
  });

  test('what no browser shows is E38, and leaves the report that was there', async () => {
    const projection = await talkative();
    await writeReport(projection, request());
    const before = readFileSync(path, 'utf8');
    const error = await writeReport(projection, request(), { shrinkBytes: 100, mostBytes: 200 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      code: 'E38',
      exitCode: 2,
      next: ['aieval report r1 --docs none', 'aieval export r1 --format csv -o results.csv'],
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('without one, E38 leaves no file', async () => {
    await expect(writeReport(await talkative(), request(), { shrinkBytes: 100, mostBytes: 200 })).rejects.toMatchObject({ code: 'E38' });
    expect(existsSync(path)).toBe(false);
  });

  test('of a private run there is nothing to leave out, and no note says that there was', async () => {
    const projection = await talkative({ ...MANIFEST, privacy: { evidence: 'none' } });
    const { warnings } = await writeReport(projection, request(), { shrinkBytes: 100, mostBytes: 200e6 });
    expect(warnings).toEqual(['the report has 1 MB: a browser takes a while to open it']);
    expect(held()).toMatchObject({ prompts: false, answers: false, document: false });
    expect(held().notes).toHaveLength(1);
  });
});

test('a run of more jobs than are read at once has all of them, in plan order, each with its own answer', async () => {
  const ids = Array.from({ length: 230 }, (_, index) => `j${String(index).padStart(3, '0')}`);
  await bench.plan(
    'r1',
    ids.map((id, seq) => job(id, seq)),
  );
  for (const _ of ids) {
    const claim = await bench.claimed('r1');
    await bench.complete(claim, { answer: { of: claim.job.jobId } });
  }
  await writeReport({ store: bench.store, run: await bench.run('r1'), version: '0.1.0' }, request(), ROOMY);
  const index = block<ReportIndex>('aieval-index');
  const blocks = Array.from({ length: Math.ceil(ids.length / (index?.jobsPerBlock ?? 1)) }, (_, number) =>
    block<ReportJob[]>(`aieval-jobs-${number}`),
  );
  expect(index?.jobs.map(({ jobId }) => jobId)).toEqual(ids);
  expect(blocks.flat().map((one) => [one?.jobId, one?.answer])).toEqual(ids.map((id) => [id, { of: id }]));
});
