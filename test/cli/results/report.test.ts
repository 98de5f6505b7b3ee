import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTreeAdapterTypes, type ParserError, parse } from 'parse5';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportDocument, ReportIndex, ReportJob } from '../../../src/report/html/report-data.ts';
import { until } from '../../e2e/gated-server.ts';
import { documents, manifest, type Project, project } from '../../e2e/project.ts';
import { answerJson, apiError, startScriptedServer } from '../../providers/scripted-server.ts';
import { PAYLOADS } from '../../report/hostile.ts';
import { aieval } from '../binary.ts';

const QUICKSTART = fileURLToPath(new URL('../../../fixtures/quickstart', import.meta.url));

/** A report as a browser has it: its elements of data, and what the parser complains about. */
type Page = {
  readonly errors: readonly string[];
  readonly scripts: readonly { readonly type: string | null; readonly text: string }[];
  readonly policy: string;
  readonly style: string;
  readonly addresses: readonly string[];
  readonly data: (id: string) => unknown;
  readonly index: ReportIndex;
  readonly jobs: readonly ReportJob[];
};

function readPage(html: string): Page {
  const errors: ParserError[] = [];
  const elements: DefaultTreeAdapterTypes.Element[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) elements.push(node);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(html, { onParseError: (error) => errors.push(error) }));
  const attribute = (element: DefaultTreeAdapterTypes.Element, name: string): string | null =>
    element.attrs.find((each) => each.name === name)?.value ?? null;
  const textOf = (element: DefaultTreeAdapterTypes.Element | undefined): string =>
    (element?.childNodes ?? []).map((node) => ('value' in node ? node.value : '')).join('');
  const named = (tag: string) => elements.filter(({ tagName }) => tagName === tag);
  const data = (id: string): unknown => JSON.parse(textOf(named('script').find((element) => attribute(element, 'id') === id)) || 'null');
  const index = data('aieval-index') as ReportIndex;
  const blocks = Math.ceil(index.jobs.length / index.jobsPerBlock);
  return {
    errors: errors.map(({ code }) => code),
    scripts: named('script').map((element) => ({ type: attribute(element, 'type'), text: textOf(element) })),
    policy:
      attribute(named('meta').find((element) => attribute(element, 'http-equiv') !== null) as DefaultTreeAdapterTypes.Element, 'content') ??
      '',
    style: textOf(named('style')[0]),
    addresses: elements.flatMap((element) => ['src', 'href', 'action', 'data', 'poster'].flatMap((name) => attribute(element, name) ?? [])),
    data,
    index,
    jobs: Array.from({ length: blocks }, (_, block) => data(`aieval-jobs-${block}`) as ReportJob[]).flat(),
  };
}

const sha256 = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

describe('the report of the quickstart', () => {
  let place: Project;
  let runDir = '';
  beforeAll(async () => {
    place = project();
    cpSync(QUICKSTART, place.dir, { recursive: true });
    const { stdout } = await place.aieval('run', 'manifest.json', '--json');
    const { run } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
    runDir = `.aieval/runs/${run}`;
  });
  afterAll(() => place.remove());

  const written = async (...args: string[]): Promise<Page> => {
    expect(await place.aieval('report', '-o', 'r.html', ...args)).toEqual({ exitCode: 0, stdout: 'r.html\n', stderr: '' });
    return readPage(place.read('r.html'));
  };

  test('stands in the run folder unless told otherwise, and its path is what is printed', async () => {
    expect(await place.aieval('report')).toEqual({ exitCode: 0, stdout: `${runDir}/report.html\n`, stderr: '' });
    const { stdout } = await place.aieval('report', '--json');
    const html = readFileSync(join(place.dir, runDir, 'report.html'));
    expect(JSON.parse(stdout)).toEqual({ v: 1, path: join(place.dir, runDir, 'report.html'), bytes: html.length, warnings: [] });
    expect(readPage(html.toString()).index.artifactsBase).toBe('');
  });

  test('is HTML without an error, asks for nothing, and runs nothing but its own script', async () => {
    const { errors, scripts, policy, style, addresses } = await written();
    expect(errors).toEqual([]);
    const programs = scripts.filter(({ type }) => type !== 'application/json');
    expect(programs).toHaveLength(1);
    expect(policy).toBe(
      `default-src 'none'; style-src '${sha256(style)}'; script-src '${sha256(programs[0]?.text ?? '')}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(style).not.toMatch(/url\(|@import/i);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(existsSync(join(place.dir, address))).toBe(true);
  });

  test('has every job with its answer, its prompt and its attempts, and every quote where the document has it', async () => {
    const page = await written();
    expect(page.index.jobs).toHaveLength(20);
    expect(page.jobs.map(({ jobId }) => jobId)).toEqual(page.index.jobs.map(({ jobId }) => jobId));
    expect(page.jobs.filter((job) => job.answer === undefined)).toHaveLength(1);
    let quotes = 0;
    for (const [place, job] of page.jobs.entries()) {
      expect(job.steps[0]?.messages?.length).toBeGreaterThan(0);
      const number = page.index.jobs[place]?.document ?? -1;
      const document = page.data(`aieval-document-${number}`) as ReportDocument;
      for (const { evidence } of job.scores.flatMap(({ findings }) => findings)) {
        const { position, text } = evidence;
        if (position === null) continue;
        const excerpt = document.excerpts.find(({ start, text: part }) => start <= position.start && position.end <= start + part.length);
        expect(excerpt?.text.slice(position.start - excerpt.start, position.end - excerpt.start)).toBe(text);
        quotes += 1;
      }
    }
    expect(quotes).toBeGreaterThan(80);
  });

  test('a prompt can be put together again from whole documents', async () => {
    const page = await written('--docs', 'full');
    const strings = page.data('aieval-strings') as string[];
    const [job] = page.jobs;
    const text = (page.data('aieval-document-0') as ReportDocument).excerpts[0]?.text ?? '';
    const pieces = job?.steps[0]?.messages?.flatMap((message) => message.pieces) ?? [];
    const prompt = pieces.map((piece) => (typeof piece === 'number' ? strings[piece] : text.slice(piece.start, piece.end))).join('');
    const { stdout } = await place.aieval('show', job?.jobId ?? '', '--prompt', '--json');
    const { body } = JSON.parse(stdout);
    expect(prompt).toBe(body.messages.map(({ content }: { content: string }) => content).join(''));
    expect(prompt).toContain(text);
  });

  test('without documents it has no text of them, and says which links it was given', async () => {
    const page = await written('--docs', 'none', '--artifact-url', 'https://ci.example/run 7?x=1');
    expect(page.index.documents.every(({ text }) => !text)).toBe(true);
    expect(page.data('aieval-document-0')).toBeNull();
    expect(page.index.artifactsBase).toBe('https://ci.example/run%207/');
  });

  test('elsewhere its links lead back to the run folder', async () => {
    mkdirSync(join(place.dir, 'out dir'), { recursive: true });
    await place.aieval('report', '-o', 'out dir/r.html');
    expect(readPage(place.read('out dir/r.html')).index.artifactsBase).toBe(`../${runDir}/`);
  });

  test('--open hands it to the opener of the system; that there is none is a note', async () => {
    mkdirSync(join(place.dir, 'bin'));
    writeFileSync(
      join(place.dir, 'bin', 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > "${place.dir}/opened.tmp" && mv "${place.dir}/opened.tmp" "${place.dir}/opened"\n`,
    );
    chmodSync(join(place.dir, 'bin', 'xdg-open'), 0o755);
    const options = { cwd: place.dir, env: { PATH: `${join(place.dir, 'bin')}:/usr/bin:/bin` } };
    expect((await aieval(['report', '-o', 'r.html', '--open'], options)).exitCode).toBe(0);
    await until(() => existsSync(join(place.dir, 'opened')));
    expect(place.read('opened')).toBe(join(place.dir, 'r.html'));
    const none = await aieval(['report', '-o', 'r.html', '--open'], { cwd: place.dir, env: { PATH: '/nowhere' } });
    expect(none).toMatchObject({
      exitCode: 0,
      stderr: `note: xdg-open could not open it (ENOENT); open this file in a browser: ${join(place.dir, 'r.html')}\n`,
    });
    writeFileSync(join(place.dir, 'bin', 'xdg-open'), '#!/bin/sh\nexit 3\n');
    expect((await aieval(['report', '-o', 'r.html', '--open'], options)).stderr).toContain(
      'xdg-open could not open it (exit code 3); open',
    );
  });

  test('what cannot be written is said, and leaves nothing behind', async () => {
    expect(await place.aieval('report', '-o', 'documents')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is a folder, expected a file'),
    });
    expect(await place.aieval('report', '-o', 'manifest.json/r.html')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('error[E22]'),
    });
    expect(await place.aieval('report', 'r-none')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('error[E31]') });
    expect(await place.aieval('report', '--artifact-url', 'javascript:alert(1)')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error[E07]'),
    });
  });
});

const KEY = 'sk-live-0123456789abcdefghijklmn';
const HEADER = 'header-value-77aa';

test('hostile answers cannot break out, and keys and headers are not in it', async () => {
  let answered = 0;
  const server = await startScriptedServer({
    respond: ({ prompt }) => {
      answered += 1;
      const quote = `${PAYLOADS.join(' ')}</script><script>alert(1)</script><!--<script>${answered}`;
      return answerJson({ findings: [{ quote }, { quote: /Device \d+ shall answer/.exec(prompt)?.[0] ?? '' }] });
    },
  });
  const lab = { type: 'openai', baseUrl: server.baseUrl, apiKeyEnv: 'LAB_KEY', headers: { 'x-lab': ['$', '{LAB_HEADER}'].join('') } };
  const place = project({
    files: { 'manifest.json': manifest(server.baseUrl, { providers: { lab } }), ...documents(3) },
    env: { LAB_KEY: KEY, LAB_HEADER: HEADER },
  });
  try {
    const { stderr } = await place.aieval('run', 'manifest.json');
    expect(answered, stderr).toBe(3);
    await place.aieval('report', '-o', 'r.html');
    const html = place.read('r.html');
    const page = readPage(html);
    expect(page.errors).toEqual([]);
    expect(page.scripts.filter(({ type }) => type === null)).toHaveLength(1);
    expect(page.jobs).toHaveLength(3);
    expect(page.addresses.every((address) => address.startsWith('.aieval/runs/'))).toBe(true);
    expect(html).not.toContain(KEY);
    expect(html).not.toContain(HEADER);
  } finally {
    await server.close();
    place.remove();
  }
});

test('an unfinished run has a report that says so, and a private one holds no word of documents and models', async () => {
  const server = await startScriptedServer({
    respond: ({ prompt }) => {
      const [, number = ''] = /Device (\d+)/.exec(prompt) ?? [];
      if (number === '02')
        return apiError(429, { message: 'zorkmids are all spent', code: 'insufficient_quota', type: 'insufficient_quota' });
      return answerJson({ findings: [{ quote: `Device ${number} shall answer, it zorkmids` }] });
    },
  });
  const parts = { privacy: { evidence: 'none' }, outputs: ['html'], concurrency: 1 };
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(2) } });
  try {
    const { stdout } = await place.aieval('run', 'manifest.json', '--json');
    const { run } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
    await place.aieval('report', '-o', 'r.html', '--docs', 'full');
    for (const html of [place.read('r.html'), place.read(`.aieval/runs/${run}/report.html`)]) {
      const { index, jobs } = readPage(html);
      expect(html).toContain('<strong>This run is not finished: 1 of 2 jobs is open. Numbers will change.</strong>');
      expect(index.notes[0]).toMatch(/^privacy.evidence is "none"/);
      expect(index.jobs.map(({ verdict, quotes }) => [verdict, quotes])).toEqual([
        ['fail', [0, 0, 1]],
        [null, [0, 0, 0]],
      ]);
      expect(jobs[0]).not.toHaveProperty('answer');
      expect(html).not.toMatch(/zorkmids|shall answer|within 5 ms/);
    }
  } finally {
    await server.close();
    place.remove();
  }
});
