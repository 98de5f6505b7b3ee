import { type DefaultTreeAdapterTypes, type ParserError, parse } from 'parse5';
import { expect, test } from 'vitest';
import type { ReportIndex, ReportJob } from '../../../src/report/html/report-data.ts';
import { reportHtml } from '../../../src/report/html/report-html.ts';
import { summarize } from '../../../src/report/summarize.ts';
import { PAYLOADS } from '../hostile.ts';
import { broken, failed, finding, header, line, score } from '../sample.ts';

const ASSETS = { script: 'let ready = 1;', style: 'p{color:red}' };

function index(over: Partial<ReportIndex> = {}): ReportIndex {
  const summary = summarize(header(), [failed(), broken(), line()]);
  return { v: 1, summary, jobs: [], documents: [], jobsPerBlock: 2, notes: [], artifactsBase: '', ...over };
}

const job = (jobId: string): ReportJob => ({
  ...{
    jobId,
    scores: [],
    error: null,
    repaired: false,
    reasked: false,
    coverage: null,
    origin: null,
    steps: [],
    attempts: [],
    artifacts: null,
  },
  usage: { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
});

async function html(told: ReportIndex, jobs: readonly ReportJob[] = []): Promise<string> {
  let text = '';
  const parts = {
    documents: each([{ place: 1, document: { excerpts: [] } }]),
    jobs: each(jobs),
    strings: () => ['shared'],
    assets: ASSETS,
  };
  for await (const piece of reportHtml({ index: told, ...parts })) text += piece;
  return text;
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

test('data comes before the script: index, documents, jobs in blocks, shared strings', async () => {
  const text = await html(index(), ['a', 'b', 'c'].map(job));
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(['static', 'app', 'aieval-index', 'aieval-document-1', 'aieval-jobs-0', 'aieval-jobs-1', 'aieval-strings']);
  expect(text.endsWith('<script>let ready = 1;</script>\n</body>\n</html>\n')).toBe(true);
  expect(text.match(/<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy"/)).not.toBeNull();
});

test('without script the report tells verdict, counts, cost and what did not pass, with its quotes', async () => {
  const text = await html(index({ notes: ['The answers are left out.'] }));
  for (const part of [
    'INCOMPLETE',
    'cost ',
    'Failures (1)',
    'Not evaluated (1)',
    '1023 → 1032',
    'Clients may skip the checksum',
    'timeout',
  ]) {
    expect(text.slice(0, text.indexOf('aieval-index'))).toContain(part);
  }
  expect(text).toContain('<p>The answers are left out.</p>');
});

test('an unfinished run says so before its numbers', async () => {
  const told = header();
  const summary = summarize({ ...told, jobs: 5, run: { ...told.run, state: 'open', finishedAt: null } }, [line()]);
  expect(await html(index({ summary }))).toContain('<strong>This run is not finished: 4 of 5 jobs are open. Numbers will change.</strong>');
});

test('links lead into the job folders below their base, and there are none without one', async () => {
  expect(await html(index({ artifactsBase: '../r-1/' }))).toContain('<a href="../r-1/jobs/');
  expect(await html(index({ artifactsBase: null }))).not.toContain('href=');
});

test('hostile names and quotes are text: the page has no element, no attribute and no error that it would not have without them', async () => {
  const told = (text: string): ReportIndex => {
    const scores = [
      score({
        check: text,
        verdict: 'fail',
        explanation: text,
        findings: [finding({ status: 'rejected', tier: null, reason: 'altered', diff: text, text }, text)],
      }),
    ];
    const lines = [failed({ document: text, scores }), broken({ document: text, error: { reason: 'timeout', message: text } })];
    return index({ summary: summarize({ ...header(), run: { ...header().run, name: text } }, lines), notes: [text] });
  };
  const plain = shape(await html(told('plain')));
  for (const payload of PAYLOADS) {
    const parsed = shape(await html(told(payload)));
    expect(parsed).toEqual(plain);
    expect(parsed.errors).toEqual([]);
  }
});

type Node = DefaultTreeAdapterTypes.Node;

function shape(text: string): { readonly elements: string[]; readonly errors: string[] } {
  const errors: ParserError[] = [];
  const elements: string[] = [];
  const walk = (node: Node): void => {
    const attributes = 'attrs' in node ? node.attrs.map(({ name }) => name).join(' ') : '';
    if (!node.nodeName.startsWith('#text')) elements.push(`${node.nodeName} ${attributes}`);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(text, { onParseError: (error) => errors.push(error) }));
  return { elements, errors: errors.map(({ code }) => code) };
}

test('without script the report counts results, and shows no quote that is withheld', async () => {
  const lines = [broken(), broken({ model: 'local' }), failed({ document: 'b.md' })];
  const text = await html(index({ summary: summarize({ ...header(), privacy: 'none' }, lines) }));
  expect(text).toContain('<h2>Not evaluated (2)</h2>');
  expect(text).not.toContain('<q></q>');
});
