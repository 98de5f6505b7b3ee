import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeResults } from '../../src/artifacts/results-file.ts';
import { readResults, readResultsFrom } from '../../src/artifacts/results-reader.ts';
import type { ResultLine } from '../../src/domain/result-line.ts';
import type { Finding } from '../../src/domain/score.ts';
import { summaryJson } from '../../src/report/json.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { createSummary, summarize } from '../../src/report/summarize.ts';
import { absence, broken, coverage, failed, finding, header, line, score } from '../report/sample.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aieval-artifacts-'));
  path = join(folder, 'results.jsonl');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function readAll(): Promise<readonly ResultLine[]> {
  const lines: ResultLine[] = [];
  for await (const item of (await readResults(path)).lines) lines.push(item);
  return lines;
}

const LINES = [
  line(),
  failed({ document: 'b.md' }),
  broken({
    document: 'c.pdf',
    error: { reason: 'bad_request', message: 'separator \u2028 and \u2029, lone \ud800, emoji 🎉, newline \n end' },
  }),
  line({ document: 'd.html', cached: true, costUsd: 0, origin: { runId: 'r-1', jobId: 'x', costUsd: null, latencyMs: 5 } }),
  line({ document: 'e.txt', state: 'queued', verdict: null, artifacts: null }),
  line({
    document: 'f.pdf',
    coverage: coverage({ parts: 3, lostPages: [{ number: 7, label: 'v', why: 'cannot be read' }] }),
    scores: [score({ absences: [absence()], findings: [everyField()] })],
  }),
];

/** A quote with all that is known of some quotes only. */
function everyField(): Finding {
  const spans = [
    { start: 100, end: 110 },
    { start: 130, end: 140 },
  ];
  const told = finding({
    status: 'elided',
    tier: null,
    seen: false,
    marks: ['negated_lead_in', 'boundary'],
    spans,
    context: 'gap',
    source: 'b',
  });
  return { ...told, lineClaimed: 12, lineCorrected: true };
}

describe('results.jsonl', () => {
  test('gives back the header and the lines that were written', async () => {
    await writeResults(folder, header(), each(LINES));
    expect((await readResults(path)).header).toEqual(header());
    expect(await readAll()).toEqual(LINES);
  });

  test('has one JSON object per line, the version first', async () => {
    await writeResults(folder, header(), each(LINES));
    const text = await readFile(path, 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    expect(text.trimEnd().split('\n')).toHaveLength(LINES.length + 1);
    for (const item of text.trimEnd().split('\n')) expect(item.startsWith('{"v":1,')).toBe(true);
  });

  test('is the same bytes when written again', async () => {
    await writeResults(folder, header(), each(LINES));
    const first = await readFile(path);
    await writeResults(folder, (await readResults(path)).header, (await readResults(path)).lines);
    expect(await readFile(path)).toEqual(first);
  });

  test('gives the same summary as the rows it was made of', async () => {
    await writeResults(folder, header(), each(LINES));
    const file = await readResults(path);
    const builder = createSummary(file.header);
    for await (const item of file.lines) builder.add(item);
    const fromFile = builder.finish();
    const fromRows = summarize(header(), LINES);
    expect(summaryMarkdown(fromFile)).toBe(summaryMarkdown(fromRows));
    expect(summaryJson(fromFile)).toBe(summaryJson(fromRows));
  });

  test('of a later version is read as far as it is known', async () => {
    await writeFile(path, `${JSON.stringify({ ...header(), later: 1 })}\n${JSON.stringify({ ...line(), later: { x: 1 } })}\n`);
    expect(await readAll()).toEqual([line()]);
  });

  test('without a newline at its end is read whole', async () => {
    await writeFile(path, `${JSON.stringify(header())}\n${JSON.stringify(line())}`);
    expect(await readAll()).toHaveLength(1);
  });

  test.each([
    ['{"v":1,"jobId":', ':3: not JSON'],
    [JSON.stringify({ ...line(), verdict: 'maybe' }), ':3: verdict: '],
  ])('with the line %j names it', async (bad, message) => {
    await writeResults(folder, header(), each([line()]));
    await appendFile(path, `${bad}\n`);
    const error: unknown = await readAll().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'E02', exitCode: 2, message: expect.stringContaining(`${path}${message}`) });
  });

  test('that was cut inside its last line says so', async () => {
    await writeFile(path, `${JSON.stringify(header())}\n${JSON.stringify(line())}\n${JSON.stringify(line()).slice(0, 100)}`);
    await expect(readAll()).rejects.toMatchObject({ code: 'E02', message: `${path}:3: not JSON: the file was cut in this line` });
  });

  test('that was cut between two lines is a run with jobs missing, never a pass', async () => {
    await writeResults(folder, header({ jobs: 3 }), each([line(), line({ document: 'b.md' })]));
    const file = await readResults(path);
    const builder = createSummary(file.header);
    for await (const item of file.lines) builder.add(item);
    expect(summaryMarkdown(builder.finish())).toContain('### ⚠️ aieval: INCOMPLETE — 1 of 3 jobs missing');
  });

  test('of a newer format names the way to read it', async () => {
    await writeFile(path, `${JSON.stringify({ ...header(), v: 2 })}\n`);
    await expect(readResults(path)).rejects.toMatchObject({
      code: 'E08',
      exitCode: 2,
      message: `${path}:1: written by a newer aieval (format 2; this one reads 1)`,
      next: ['update aieval; in a clone of it: git pull && npm ci'],
    });
  });

  test('is read as it is through a byte order mark, carriage returns, blank lines and bytes that come one by one', async () => {
    await writeFile(path, `\ufeff${JSON.stringify(header())}\r\n\r\n${JSON.stringify(LINES[2])}\r\n\n`);
    expect(await readAll()).toEqual([LINES[2]]);
    const bytes = await readFile(path);
    const file = await readResultsFrom('stdin', each([...bytes].map((byte) => Uint8Array.of(byte))));
    expect(file.header).toEqual(header());
    for await (const item of file.lines) expect(item).toEqual(LINES[2]);
  });

  test('that is empty, no results file or not there is said to be so', async () => {
    await expect(readResults(path)).rejects.toMatchObject({ code: 'E01', exitCode: 2, message: `${path} not found` });
    await writeFile(path, '');
    await expect(readResults(path)).rejects.toMatchObject({ code: 'E02', message: `${path}:1: the file is empty` });
    await writeFile(path, `${JSON.stringify(line())}\n`);
    await expect(readResults(path)).rejects.toMatchObject({ code: 'E02', message: expect.stringContaining(`${path}:1: kind: `) });
  });
});
