import { describe, expect, test } from 'vitest';
import { finishedRecord, outcomeLines, type RunOutcome } from '../../../src/cli/display/outcome.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import { mergeMessage } from '../../../src/domain/merge-failure.ts';
import { STARTED_MS, sampleRun, sampleTotals } from '../sample-run.ts';
import { DANGEROUS, HOSTILE } from './sample-events.ts';

const NO_CAUSES = { errors: [], failedChecks: [], failedJobs: 0, reviews: null };
const DONE = sampleTotals({
  jobs: { total: 30, queued: 0, running: 0, succeeded: 30, failed: 0, cancelled: 0 },
  results: { total: 30, open: 0, pass: 25, fail: 5, review: 0, error: 0 },
  cost: { ...sampleTotals().cost, spentNanoUsd: 1_160_000_000, reservedNanoUsd: 0 },
  waiting: [],
});

function outcome(change: Partial<RunOutcome> = {}): RunOutcome {
  const run = sampleRun({ state: 'finished' });
  const times = { durationMs: 2_100_000, nowMs: STARTED_MS };
  return {
    run,
    verdict: 'pass',
    codes: [0],
    exitCode: 0,
    totals: DONE,
    causes: NO_CAUSES,
    ...times,
    stoppedBy: [],
    openNanoUsd: null,
    isLast: true,
    ...change,
  };
}

const LOOK = { cwd: '/home/ann/spec', lead: 'aieval', paint: painter(false), columns: 120 };

describe('the last block of a run', () => {
  test('a pass says so first and names the files', () => {
    expect(outcomeLines(outcome(), LOOK)).toEqual([
      'PASS  r-8kq2aaaa · 30 results (25 pass, 5 fail)',
      '  Saved .aieval/runs/r-8kq2aaaa/{summary.md,results.jsonl}    23 calls, $1.16, 8 jobs from cache, 35m00s',
    ]);
  });

  test('says how many jobs were cancelled, and that a worker continues a run whose identity a newer one took', () => {
    const jobs = { total: 40, queued: 2, running: 0, succeeded: 35, failed: 0, cancelled: 3 };
    const run = sampleRun({ holdsIdentity: false });
    expect(outcomeLines(outcome({ run, totals: { ...DONE, jobs } }), LOOK).slice(1, 3)).toEqual([
      '  2 jobs left              → aieval worker r-8kq2aaaa',
      '  3 jobs cancelled',
    ]);
  });

  test('a run of a part says of what, and its record says it for machines', () => {
    const selection = { document: [], task: [], model: [], first: 30 };
    const { settings } = sampleRun();
    const run = sampleRun({ state: 'finished', settings: { ...settings, selection, selectedOf: 200 } });
    expect(outcomeLines(outcome({ run }), LOOK)[0]).toBe(
      'PASS of a part  r-8kq2aaaa · 30 of 200 jobs (--first 30) · 30 results (25 pass, 5 fail)',
    );
    expect(finishedRecord(outcome({ run }))).toMatchObject({ selection: { options: '--first 30', jobs: 30, of: 200 }, passPercent: 83.3 });
    expect(finishedRecord(outcome())).toMatchObject({ selection: null, passPercent: 83.3 });
  });

  test('where a later run is the latest, the job to look at is named with its run', () => {
    const example = { label: 'a', jobId: 'clev7cbmxxxx', task: 'ambiguity', model: 'fast', message: 'm' };
    const causes = { ...NO_CAUSES, failedChecks: [{ check: 'evidence', count: 1, example }], failedJobs: 1 };
    expect(outcomeLines(outcome({ causes, isLatest: false }), LOOK)[1]).toContain('→ aieval show clev7cbm --run r-8kq2aaaa');
  });

  test('names the files that the manifest asks for', () => {
    expect(outcomeLines(outcome({ outputs: ['junit.xml', 'report.html'] }), LOOK).at(-2)).toBe(
      '  Saved .aieval/runs/r-8kq2aaaa/{summary.md,results.jsonl,junit.xml,report.html}',
    );
  });

  test('what was refused when it was asked again is not offered once more', () => {
    const example = { label: 'a', jobId: 'x', task: 'ambiguity', model: 'fast', message: 'the model refused: no' };
    const causes = { ...NO_CAUSES, errors: [{ reason: 'refused' as const, count: 1, example }] };
    expect(outcomeLines(outcome({ causes, askedAgain: ['refused'] }), LOOK)[1]).toBe(
      '  1× refused             again: a: the model refused…  → change the prompt or the model, then: aieval run manifest.json',
    );
    expect(outcomeLines(outcome({ causes, askedAgain: ['timeout'] }), LOOK)[1]).toContain('→ aieval retry r-8kq2aaaa --reason refused');
  });

  test('its commands are those that lead to the same database', () => {
    const example = { label: 'a', jobId: 'clev7cbmxxxx', task: 'ambiguity', model: 'fast', message: 'm' };
    const causes = { ...NO_CAUSES, failedChecks: [{ check: 'evidence', count: 1, example }], failedJobs: 1 };
    const [, line = ''] = outcomeLines(outcome({ causes }), { ...LOOK, lead: 'aieval --db x.db', columns: 70 });
    expect(line).toBe('  1× fail                evidence 1  → aieval --db x.db show clev7cbm');
  });

  test('a fail says what the gate asks for and which job to look at', () => {
    const causes = {
      errors: [],
      failedChecks: [
        { check: 'evidence', count: 17, example: { label: 'a', jobId: 'j3f9aaaabbbb', task: 'ambiguity', model: 'fast', message: 'm' } },
        { check: 'count', count: 3, example: { label: 'b', jobId: 'other', task: 'ambiguity', model: 'fast', message: 'm' } },
      ],
      failedJobs: 18,
      reviews: null,
    };
    const totals = { ...DONE, results: { total: 30, open: 0, pass: 20, fail: 10, review: 0, error: 0 } };
    expect(outcomeLines(outcome({ verdict: 'fail', codes: [1], exitCode: 1, causes, totals }), LOOK).slice(0, 2)).toEqual([
      'FAIL  r-8kq2aaaa · pass rate 66.6 %, the gate asks for 80 % (20 pass, 10 fail)    exit 1',
      '  18× fail               evidence 17 · count 3  → aieval show j3f9aaaa',
    ]);
  });

  test('a run that ends green says how many results a person must decide on, and which to look at first', () => {
    const example = { label: 'a', jobId: 'clev7cbmxxxx', task: 'ambiguity', model: 'fast', message: '1 of 1 quotes near' };
    const totals = { ...DONE, jobs: { ...DONE.jobs, total: 1 }, results: { total: 1, open: 0, pass: 0, fail: 0, review: 1, error: 0 } };
    const causes = { ...NO_CAUSES, reviews: { count: 1, example } };
    expect(outcomeLines(outcome({ causes, totals }), LOOK).slice(0, 2)).toEqual([
      'TO REVIEW  r-8kq2aaaa · 1 result (0 pass, 0 fail, 1 to review)',
      '  1× review              waits for a person: 1 of 1 quotes near  → aieval show clev7cbm',
    ]);
  });

  test.each([60, 100, Number.POSITIVE_INFINITY])(
    'what mends a document stands whole, once and on its own line, at %d columns',
    (columns) => {
      const command = `ocrmypdf '/home/ann/spec/${'long '.repeat(9)}scan.pdf' scan-ocr.pdf`;
      const message = `no text layer (2 pages, 0 characters); next: ${command}`;
      const example = { label: 'scan.pdf:claims:fast', jobId: 'k81c', task: 'claims', model: 'fast', message };
      const causes = { ...NO_CAUSES, errors: [{ reason: 'document_no_text' as const, count: 1, example }] };
      const lines = outcomeLines(outcome({ causes }), { ...LOOK, columns });
      expect(lines[1]).not.toContain('ocrmypdf');
      expect(lines[2]).toBe(`      → ${command}, then: aieval run manifest.json`);
    },
  );

  test('where repeats make more jobs than results, both numbers have their unit', () => {
    const example = { label: 'a', jobId: 'j3f9aaaabbbb', task: 'ambiguity', model: 'fast', message: 'm' };
    const causes = { ...NO_CAUSES, failedChecks: [{ check: 'evidence', count: 17, example }], failedJobs: 17 };
    const results = { total: 16, open: 0, pass: 7, fail: 9, review: 0, error: 0 };
    const lines = outcomeLines(outcome({ verdict: 'fail', causes, totals: { ...DONE, results } }), LOOK);
    expect(lines[0]).toContain('(16 results: 7 pass, 9 fail)');
    expect(lines[1]).toBe('  17 jobs: fail          evidence 17  → aieval show j3f9aaaa');
  });

  test('calls that may have been billed stand beside what was spent, with their bound and what books them', () => {
    const cost = { ...DONE.cost, spentNanoUsd: 0, uncertainNanoUsd: 2_030_000_000, uncertainCalls: 4, uncertainUnpricedCalls: 0 };
    const told = outcomeLines(outcome({ totals: { ...DONE, cost } }), LOOK);
    expect(told[1]).toBe('  4 calls may have been billed, at most $2.03  → aieval budget settle-unknown r-8kq2aaaa --at expected');
    expect(told.slice(2).join(' ')).toContain('23 calls, $0.00 + up to $2.03 unknown');
    const narrow = outcomeLines(outcome({ totals: { ...DONE, cost } }), { ...LOOK, columns: 60 });
    expect(narrow[2]).toBe('      → aieval budget settle-unknown r-8kq2aaaa --at expected');
  });

  test('errors are grouped by reason, each with what mends it', () => {
    const example = { label: 'specs/pay.pdf:claims:local', jobId: 'k81c', task: 'claims', model: 'local', message: 'no answer in 120 s' };
    const causes = {
      errors: [
        { reason: 'timeout' as const, count: 3, example },
        { reason: 'document_no_text' as const, count: 2, example: { ...example, message: 'no text layer' } },
        { reason: 'input_too_long' as const, count: 1, example: { ...example, message: '131204 tokens > 128000' } },
      ],
      failedChecks: [],
      failedJobs: 0,
      reviews: null,
    };
    const totals = { ...DONE, results: { total: 30, open: 0, pass: 20, fail: 3, review: 1, error: 6 } };
    expect(outcomeLines(outcome({ verdict: 'incomplete', codes: [3], exitCode: 3, causes, totals }), LOOK).slice(0, 5)).toEqual([
      'INCOMPLETE  r-8kq2aaaa · 6 of 30 results could not be evaluated (20 pass, 3 fail, 1 to review, 6 not evaluated)    exit 3',
      '  3× timeout             specs/pay.pdf:claims:local: no answer in 120 s  → aieval retry r-8kq2aaaa --reason timeout',
      '  2× document_no_text    specs/pay.pdf:claims:local: no text layer  → mend the file, then: aieval run manifest.json',
      '  1× input_too_long      specs/pay.pdf:claims:local: 131204 tokens > 128000',
      expect.stringMatching(
        /^ {6}→ shorten the document or lower models\.local\.params\.maxOutputTokens, .*, then: aieval run manifest\.json$/,
      ),
    ]);
  });

  test('parts whose answers make none together need another manifest, or all to be asked anew', () => {
    const actionOf = (message: string) => {
      const example = { label: 'a', jobId: 'k', task: 'claims', model: 'fast', message };
      const causes = { ...NO_CAUSES, errors: [{ reason: 'invalid_answer' as const, count: 1, example }] };
      return outcomeLines(outcome({ causes }), LOOK)
        .join('\n')
        .match(/→ (.*)/)?.[1];
    };
    const retry = 'aieval retry r-8kq2aaaa --reason invalid_answer';
    const then = `then: aieval run manifest.json; or ask all parts anew: ${retry}`;
    expect(actionOf(mergeMessage('parts', '/verdict'))).toBe(`set tasks.claims.merge.reduce, ${then}`);
    expect(actionOf(mergeMessage('array', '/findings'))).toBe(`change tasks.claims.output.schema or tasks.claims.chunk, ${then}`);
    expect(actionOf(mergeMessage('whole', '/a'))).toBe(`change tasks.claims.output.schema or tasks.claims.merge.reduce, ${then}`);
    expect(actionOf(`/a: must be "b", got "${mergeMessage('parts', '/verdict')}"`)).toBe(retry);
  });

  test('an interrupted run says what is left and how to go on', () => {
    const totals = sampleTotals();
    const lines = outcomeLines(outcome({ run: sampleRun(), verdict: 'incomplete', codes: [3, 130], exitCode: 130, totals }), LOOK);
    expect(lines[0]).toBe(
      'INTERRUPTED  r-8kq2aaaa · 9 of 30 results still open (14 pass, 4 fail, 1 to review, 2 not evaluated)    exit 130',
    );
    expect(lines[1]).toBe('  12 jobs left           4 waiting: the provider wants a pause: 429 from lab  → aieval run manifest.json');
  });

  test('what ended an interrupted run is who interrupted it; what its work waits for is told beside', () => {
    const waiting = [{ why: 'tags', laneId: null, count: 12, untilMs: null, tags: ['gpu', 'large'], message: null } as const];
    const totals = sampleTotals({ waiting });
    const ended = (codes: readonly number[], stoppedBy: RunOutcome['stoppedBy'] = []) =>
      outcomeLines(outcome({ run: sampleRun(), verdict: 'incomplete', codes, totals, stoppedBy }), LOOK).slice(1, 3);
    const [needs, next] = ['needs a worker with tags gpu, large', '      → aieval worker r-8kq2aaaa --tags gpu,large'];
    expect(ended([3, 130])).toEqual([`  stopped by Ctrl-C, 12 jobs left; besides: ${needs}`, next]);
    expect(ended([3, 143])).toEqual([`  stopped by a signal, 12 jobs left; besides: ${needs}`, next]);
    expect(ended([3], waiting)).toEqual([`  stopped: ${needs}, 12 jobs left`, next]);
    expect(ended([3, 130], waiting)).toEqual([`  stopped: ${needs}, 12 jobs left`, next]);
  });

  test('an interrupted wait is told with what goes on after it', () => {
    const waiting = [{ why: 'lane_paused', laneId: 'l', lane: 'lab', count: 12, untilMs: STARTED_MS + 3_600_000, message: '429' } as const];
    const ended = { run: sampleRun(), verdict: 'incomplete', codes: [3, 130], exitCode: 130, totals: sampleTotals({ waiting }) } as const;
    expect(outcomeLines(outcome(ended), LOOK).slice(1, 4)).toEqual([
      expect.stringMatching(/^ {2}stopped by Ctrl-C, 12 jobs left; besides: lab asks to wait until \d\d:\d\d \(in 60 min\): 429$/),
      expect.stringMatching(/^ {6}→ after \d\d:\d\d: aieval run manifest\.json$/),
      '      → aieval run manifest.json --wait',
    ]);
  });

  test('a cancelled run is not told to go on', () => {
    const run = sampleRun({ state: 'cancelled' });
    const lines = outcomeLines(outcome({ run, verdict: 'incomplete', codes: [3], exitCode: 3, totals: sampleTotals() }), LOOK);
    expect(lines.join('\n')).not.toContain('jobs left');
  });

  test('an unknown price is said and never shown as $0', () => {
    const totals = { ...DONE, cost: { ...DONE.cost, spentNanoUsd: null, unpricedCalls: 23 } };
    expect(outcomeLines(outcome({ totals }), LOOK).at(-1)).toContain('23 calls, price unknown,');
    const some = { ...DONE, cost: { ...DONE.cost, unpricedCalls: 2 } };
    expect(outcomeLines(outcome({ totals: some }), LOOK).at(-1)).toContain('23 calls, $1.16 + 2 calls of unknown price,');
  });

  test.each([100, 200])('details are cut to %i columns and what to type never is', (columns) => {
    const example = {
      label: `specs/${'long/'.repeat(60)}x.md:claims:fast`,
      jobId: 'k',
      task: 'ambiguity',
      model: 'fast',
      message: HOSTILE,
    };
    const causes = { ...NO_CAUSES, errors: [{ reason: 'timeout' as const, count: 3, example }] };
    const [, line = ''] = outcomeLines(outcome({ causes }), { ...LOOK, columns });
    expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    expect(line).toMatch(/→ aieval retry r-8kq2aaaa --reason timeout$/);
  });

  test('on a narrow terminal what to type and what was spent stand on lines of their own, and nothing is wrapped', () => {
    const example = { label: 'specs/pay.pdf:claims:local', jobId: 'k81c', task: 'claims', model: 'local', message: 'no answer in 120 s' };
    const causes = { ...NO_CAUSES, errors: [{ reason: 'timeout' as const, count: 3, example }] };
    const lines = outcomeLines(outcome({ causes }), { ...LOOK, columns: 60 });
    expect(lines.slice(1)).toEqual([
      '  3× timeout             specs/pay.pdf:claims:local: no ans…',
      '      → aieval retry r-8kq2aaaa --reason timeout',
      '  Saved .aieval/runs/r-8kq2aaaa/{summary.md,results.jsonl}',
      '        23 calls, $1.16, 8 jobs from cache, 35m00s',
    ]);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(60);
  });

  test('hostile text stays on its line and has no escapes', () => {
    const causes = {
      ...NO_CAUSES,
      errors: [
        {
          reason: 'refused' as const,
          count: 1,
          example: { label: HOSTILE, jobId: 'k', task: 'ambiguity', model: 'fast', message: HOSTILE },
        },
      ],
    };
    const text = outcomeLines(outcome({ causes }), { ...LOOK, columns: Number.POSITIVE_INFINITY }).join('\n');
    expect(text).not.toMatch(DANGEROUS);
    expect(text.split('\n')).toHaveLength(3);
  });

  test('a paused run says so, and how it goes on', () => {
    const totals = sampleTotals({ waiting: [] });
    const paused = outcome({ run: sampleRun({ state: 'paused' }), verdict: 'incomplete', codes: [3, 7], exitCode: 7, totals });
    const [first, second] = outcomeLines(paused, LOOK);
    expect(first).toMatch(/^PAUSED {2}r-8kq2aaaa · 9 of 30 results still open .* exit 7$/);
    expect(second).toMatch(/^ {2}12 jobs left .*→ aieval resume r-8kq2aaaa$/);
  });

  test('the verdict is coloured where colour is wanted, and the word says it without', () => {
    expect(outcomeLines(outcome(), { ...LOOK, paint: painter(true) })[0]).toContain('\u001b[32mPASS\u001b[39m');
  });
});

test('run.finished has every code that applies as a word, and the numbers of the store', () => {
  const totals = sampleTotals();
  expect(finishedRecord(outcome({ verdict: 'incomplete', codes: [3, 130], exitCode: 130, totals }))).toEqual({
    v: 1,
    event: 'run.finished',
    plan: null,
    selection: null,
    passPercent: 77.7,
    run: 'r-8kq2aaaa',
    exitCode: 130,
    verdict: 'incomplete',
    reasons: ['incomplete', 'interrupted'],
    jobs: totals.jobs,
    results: totals.results,
    calls: 23,
    cacheHits: 8,
    cost: {
      ...{ spentUsd: 0.67, reservedUsd: 0.07, uncertainUsd: 0, budgetUsd: null, unpricedCalls: 0 },
      ...{ uncertainCalls: 0, uncertainUnpricedCalls: 0 },
    },
    stoppedBy: [],
  });
});
