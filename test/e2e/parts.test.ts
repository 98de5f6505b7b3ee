import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { start } from '../cli/binary.ts';
import { apiError } from '../providers/scripted-server.ts';
import { here, hereJson } from './here.ts';
import { lastRecord, manifest, type Project, project } from './project.ts';
import { type Asked, free, paid, type Reply, type ScriptableProvider, startProvider } from './providers/scriptable-provider.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A manual of 30 devices, each with a section and one sentence of its own at its end. */
const DEVICES = Array.from({ length: 30 }, (_, index) => String(index + 1).padStart(2, '0'));
const FILLER = 'The cabinet has a door with a lock, a lamp above it, and a plate that names the year in which it was built.';
const MANUAL = `# Manual\n\n${DEVICES.map((name) => `## Device ${name}\n\n${`${FILLER} `.repeat(4).trim()}\n\nDevice ${name} shall answer within 5 ms.\n`).join('\n')}`;
const SENTENCE = /Device \d+ shall answer within 5 ms\./g;

/** Answers with every device's sentence that stands in the prompt. */
function all(asked: Asked): Reply {
  return paid(asked, JSON.stringify({ findings: (asked.prompt.match(SENTENCE) ?? []).map((quote) => ({ quote })) }));
}

async function provider(respond: (asked: Asked) => Reply | Promise<Reply> = all): Promise<ScriptableProvider> {
  const started = await startProvider({ respond });
  undo.push(started.close);
  return started;
}

const CHUNK = { maxTokens: 700, overlap: 100, when: 'always' };

/** The manual, and a task that asks it in parts unless `task` says otherwise. */
function folder(
  baseUrl: string,
  { task = {}, rest = {}, file = {} }: { task?: object; rest?: object; file?: Record<string, string> } = {},
): Project {
  const { tasks, ...base } = JSON.parse(manifest(baseUrl));
  const quotes = { ...tasks.quotes, chunk: CHUNK, merge: { array: '/findings' }, ...task };
  const models = { small: { ...base.models.small, params: { maxOutputTokens: 1000 } } };
  const content = JSON.stringify({ ...base, models, tasks: { quotes }, ...rest });
  const made = project({ files: { 'manifest.json': content, 'docs/manual.md': MANUAL, ...file } });
  undo.push(made.remove);
  return made;
}

async function run(place: Project, ...args: string[]): Promise<Record<string, unknown>> {
  return lastRecord((await place.aieval('run', 'manifest.json', '--json', ...args)).stdout);
}

type Shown = {
  readonly job: { readonly jobId: string; readonly reasked: boolean };
  readonly answer: { readonly findings: readonly { readonly quote: string }[] } | null;
  readonly coverage: object | null;
};

/** The one job, as `show --json` has it. */
async function shown(place: Project): Promise<Shown> {
  const { jobId } = (await lines(place))[0] ?? {};
  return JSON.parse((await here(place, 'show', String(jobId), '--json')).stdout);
}

async function outDir(place: Project): Promise<string> {
  const { run: row } = await hereJson(place, 'status');
  return `.aieval/runs/${Object(row).id}`;
}

/** What stands below the folders of the runs. */
function filesOf({ dir, read }: Project): Record<string, string> {
  const entries = readdirSync(join(dir, '.aieval/runs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(dir, join(entry.parentPath, entry.name))).sort();
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}

/** Those of `results.jsonl`, without its header. */
async function lines(place: Project): Promise<Record<string, unknown>[]> {
  const text = place.read(`${await outDir(place)}/results.jsonl`);
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

const quotesOf = ({ answer }: Shown): string[] => (answer?.findings ?? []).map(({ quote }) => quote);
const sentences = DEVICES.map((name) => `Device ${name} shall answer within 5 ms.`);

/** Only the part that begins the document has its title. */
const isFirst = ({ prompt }: Asked): boolean => prompt.includes('\n# Manual\n');

describe('a document that is asked in parts', () => {
  test('gives each finding once, also those of the overlap, with all of it covered; a second run asks nothing', async () => {
    const { baseUrl, served, billedNanoUsd } = await provider();
    const place = folder(baseUrl);
    const ended = await run(place);
    expect(ended).toMatchObject({ exitCode: 0, jobs: { total: 1, succeeded: 1 }, results: { pass: 1 }, calls: served.length });
    expect(served.length).toBeGreaterThan(3);
    const found = served.flatMap(({ prompt }) => prompt.match(SENTENCE) ?? []);
    expect(found.length).toBeGreaterThan(DEVICES.length);
    const job = await shown(place);
    expect(quotesOf(job)).toEqual(sentences);
    expect(job.coverage).toMatchObject({
      parts: served.length,
      characters: MANUAL.trimEnd().length,
      of: MANUAL.trimEnd().length,
      sections: { seen: 31, of: 31, missed: [] },
    });
    expect(Math.round(Number(Object(ended.cost).spentUsd) * 1e9)).toBe(billedNanoUsd());
    const before = served.length;
    expect(await run(place, '--new')).toMatchObject({ exitCode: 0, calls: 0, results: { pass: 1 } });
    expect(served).toHaveLength(before);
  });

  test('keeps every part’s request and answer, and a list of them, rebuilt byte for byte', async () => {
    const { baseUrl, served } = await provider();
    const place = folder(baseUrl);
    await run(place);
    const { job } = await shown(place);
    const there = `${await outDir(place)}/jobs/${job.jobId}`;
    const { parts } = JSON.parse(place.read(`${there}/request.json`));
    expect(parts).toHaveLength(served.length);
    for (const { start, end, request, response } of parts) {
      const { body } = JSON.parse(place.read(`${there}/${request}`));
      expect(body.messages[0].content[1]).toMatchObject({ $text: { start, end } });
      expect(existsSync(join(place.dir, there, response))).toBe(true);
    }
    const before = filesOf(place);
    rmSync(join(place.dir, '.aieval/runs'), { recursive: true });
    await place.aieval('summary');
    expect(filesOf(place)).toEqual(before);
  });

  test('goes in one call where it fits the model', async () => {
    const { baseUrl, served } = await provider();
    const place = folder(baseUrl, { task: { chunk: { overlap: 100 } } });
    expect(await run(place)).toMatchObject({ exitCode: 0, results: { pass: 1 } });
    expect(served).toHaveLength(1);
    expect(quotesOf(await shown(place))).toEqual(sentences);
  });

  test('is refused before any call where it is too long and nobody said how to cut it', async () => {
    const { baseUrl, served } = await provider();
    const { tasks, models } = JSON.parse(manifest(baseUrl));
    const short = { small: { ...models.small, contextTokens: 1000 } };
    const place = folder(baseUrl, { rest: { tasks: { quotes: tasks.quotes }, models: short } });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('chunk');
    expect(served).toHaveLength(0);
  });

  test('of which one answer is invalid has that part asked again, and no other', async () => {
    const { baseUrl, served } = await provider((asked) =>
      isFirst(asked) && !asked.prompt.includes('Your answer is not valid') ? paid(asked, '{"findings":"none"}') : all(asked),
    );
    const place = folder(baseUrl);
    expect(await run(place)).toMatchObject({ exitCode: 0, results: { pass: 1 } });
    expect(served.filter(({ prompt }) => prompt.includes('Your answer is not valid'))).toHaveLength(1);
    const job = await shown(place);
    expect(quotesOf(job)).toEqual(sentences);
    expect(job.job.reasked).toBe(true);
  });

  test('of which one part fails is failed for that reason, and retry asks only that part', async () => {
    let broken = true;
    const isLast = ({ prompt }: Asked): boolean => prompt.includes('## Device 30');
    const { baseUrl, served } = await provider((asked) =>
      broken && isLast(asked)
        ? free(apiError(400, { message: 'no such parameter', type: 'invalid_request_error', code: null }))
        : all(asked),
    );
    const place = folder(baseUrl, { rest: { concurrency: 1 } });
    expect(await run(place)).toMatchObject({ exitCode: 3, results: { error: 1 } });
    expect(await lines(place)).toMatchObject([{ state: 'failed', verdict: 'error', error: { reason: 'bad_request' } }]);
    broken = false;
    const before = served.length;
    expect((await place.aieval('retry', '--dlq')).exitCode).toBe(0);
    expect(quotesOf(await shown(place))).toEqual(sentences);
    expect(served.slice(before).map(({ prompt }) => prompt)).toEqual([served[before - 1]?.prompt]);
  });

  test('and killed in the midst of it goes on without paying for a part twice', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { baseUrl, served } = await provider(async (asked) => {
      if (asked.n > 2) await opened;
      return all(asked);
    });
    const place = folder(baseUrl, { rest: { concurrency: 1 } });
    const child = start(['run', 'manifest.json'], { cwd: place.dir });
    while (served.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await once(child, 'close');
    const paidFor = served.slice(0, 2).map(({ prompt }) => prompt);
    open();
    expect(await run(place)).toMatchObject({ exitCode: 0, results: { pass: 1 } });
    expect(quotesOf(await shown(place))).toEqual(sentences);
    expect(served.filter(({ prompt }) => paidFor.includes(prompt))).toHaveLength(2);
  });
});

describe('one answer made of the parts’ answers', () => {
  const FINDINGS = JSON.parse(manifest('')).tasks.quotes.output.schema.properties.findings;
  const SCHEMA = {
    type: 'object',
    additionalProperties: false,
    required: ['findings', 'summary'],
    properties: { findings: FINDINGS, summary: { type: 'string' } },
  };
  const REDUCE = 'Make one summary.\n{{answers}}\n{{merged}}';
  const task = { output: { schema: SCHEMA }, merge: { array: ['/findings'], reduce: REDUCE } };
  const isReduce = ({ prompt }: { readonly prompt: string }) => prompt.startsWith('Make one summary.');

  const reply = (asked: Asked): Reply => {
    if (isReduce(asked)) return paid(asked, JSON.stringify({ summary: 'All devices answer in time.' }));
    const findings = (asked.prompt.match(SENTENCE) ?? []).map((quote) => ({ quote }));
    return paid(asked, JSON.stringify({ findings, summary: `${findings.length} devices` }));
  };

  test('is asked once, with what all parts found, and keeps their quotes', async () => {
    const { baseUrl, served } = await provider(reply);
    const place = folder(baseUrl, { task });
    expect(await run(place)).toMatchObject({ exitCode: 0, results: { pass: 1 }, calls: served.length });
    const reduces = served.filter(isReduce);
    expect(reduces).toHaveLength(1);
    expect(reduces[0]?.prompt).toContain('"part":1');
    const { job, answer } = await shown(place);
    expect(answer).toEqual({ findings: sentences.map((quote) => ({ quote })), summary: 'All devices answer in time.' });
    const request = JSON.parse(place.read(`${await outDir(place)}/jobs/${job.jobId}/request.json`));
    expect(request.body.messages[0].content).toContain('Make one summary.');
    const before = served.length;
    expect(await run(place, '--new')).toMatchObject({ exitCode: 0, calls: 0, results: { pass: 1 } });
    expect(served).toHaveLength(before);
  });

  test('is asked again where it is invalid', async () => {
    const { baseUrl, served } = await provider((asked) =>
      isReduce(asked) && !asked.prompt.includes('Your answer is not valid') ? paid(asked, '{"summary":7}') : reply(asked),
    );
    const place = folder(baseUrl, { task });
    expect(await run(place)).toMatchObject({ exitCode: 0, results: { pass: 1 } });
    expect(served.filter(isReduce)).toHaveLength(2);
    expect((await shown(place)).answer).toMatchObject({ summary: 'All devices answer in time.' });
  });

  test('is made anew, of new answers, where the job is asked afresh', async () => {
    let round = 1;
    const { baseUrl, served } = await provider((asked) =>
      paid(asked, JSON.stringify(isReduce(asked) ? { summary: `round ${round}` } : { findings: [], summary: '' })),
    );
    const place = folder(baseUrl, { task: { ...task, checks: [{ type: 'contains', at: '/summary', text: 'round 2' }] } });
    expect(await run(place)).toMatchObject({ exitCode: 1, results: { fail: 1 } });
    const before = served.length;
    round = 2;
    expect((await place.aieval('retry', '--failed')).exitCode).toBe(0);
    expect(served).toHaveLength(2 * before);
    expect((await shown(place)).answer).toMatchObject({ summary: 'round 2' });
  });

  test('is replayed from a recording, made by the run that asked or by one that asked nothing, without the network', async () => {
    const { baseUrl } = await provider(reply);
    const place = folder(baseUrl, { task });
    await run(place, '--record', 'first.json');
    await run(place, '--new', '--record', 'second.json');
    const { answer } = await shown(place);
    expect(answer).toMatchObject({ summary: 'All devices answer in time.' });
    for (const tape of ['first.json', 'second.json']) {
      const providers = { lab: { type: 'replay', cassette: 'tape.json' } };
      const there = folder('', { task, rest: { providers }, file: { 'tape.json': place.read(tape) } });
      expect(await run(there)).toMatchObject({ exitCode: 0, results: { pass: 1 } });
      expect((await shown(there)).answer).toEqual(answer);
    }
  });

  test('is in a recording too where it is only known to be bad', async () => {
    const { baseUrl } = await provider((asked) => (isReduce(asked) ? paid(asked, '{"summary":7}') : reply(asked)));
    const place = folder(baseUrl, { task });
    const { calls } = await run(place);
    expect((await place.aieval('run', 'manifest.json', '--record', 'tape.json')).stderr).not.toContain('tape.json');
    const providers = { lab: { type: 'replay', cassette: 'tape.json' } };
    const there = folder('', { task, rest: { providers }, file: { 'tape.json': place.read('tape.json') } });
    expect(await run(there)).toMatchObject({ exitCode: 3, calls });
    expect(await lines(there)).toMatchObject([{ error: { reason: 'invalid_answer', message: '/summary: must be string, got 7' } }]);
  });

  test('is not asked for where the joined arrays break the schema; retry asks the parts anew', async () => {
    const { baseUrl, served } = await provider(reply);
    const short = { ...SCHEMA, properties: { ...SCHEMA.properties, findings: { ...FINDINGS, maxItems: 20 } } };
    const place = folder(baseUrl, { task: { ...task, output: { schema: short } } });
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(stderr).toContain(
      '→ change tasks.quotes.output.schema or tasks.quotes.chunk, then: aieval run manifest.json; or ask all parts anew: ',
    );
    const before = served.length;
    expect(served.filter(isReduce)).toHaveLength(0);
    await place.aieval('retry', '--reason', 'invalid_answer');
    expect(served).toHaveLength(2 * before);
  });
});

test('a recording has a part’s first question too, where several runs paid for the parts', async () => {
  const reply = (asked: Asked): Reply =>
    isFirst(asked) && !asked.prompt.includes('Your answer is not valid') ? paid(asked, '{"findings":"none"}') : all(asked);
  const { baseUrl } = await provider(reply);
  const place = folder(baseUrl);
  await run(place);
  place.write('docs/manual.md', `${MANUAL}\nThe end.\n`);
  await run(place);
  const ended = await run(place, '--new', '--record', 'tape.json');
  expect(ended).toMatchObject({ exitCode: 0, calls: 0 });
  const providers = { lab: { type: 'replay', cassette: 'tape.json' } };
  const file = { 'tape.json': place.read('tape.json'), 'docs/manual.md': `${MANUAL}\nThe end.\n` };
  expect(await run(folder('', { rest: { providers }, file }))).toMatchObject({ exitCode: 0, results: { pass: 1 } });
});

test('parts that contradict each other, with nothing to make one answer of them, fail the job and say what to do', async () => {
  const { baseUrl } = await provider((asked) => paid(asked, JSON.stringify({ findings: [], first: isFirst(asked) })));
  const place = folder(baseUrl, { task: { output: { format: 'json' } } });
  expect(await run(place)).toMatchObject({ exitCode: 3, results: { error: 1 } });
  const [{ error } = {}] = await lines(place);
  expect(error).toMatchObject({ reason: 'invalid_answer' });
  expect(Object(error).message).toMatch(/\/first.*merge\.reduce/);
  expect((await place.aieval('retry')).stderr).toContain('→ set tasks.quotes.merge.reduce, then: aieval run manifest.json');
});

test('a quote from another document of the run is known for it', async () => {
  const stranger = 'Every ladder must be inspected before the night shift begins.';
  const { baseUrl } = await provider((asked) => paid(asked, JSON.stringify({ findings: isFirst(asked) ? [{ quote: stranger }] : [] })));
  const place = folder(baseUrl, { file: { 'docs/ladders.md': `# Ladders\n\n${stranger}\n` } });
  expect(await run(place)).toMatchObject({ exitCode: 1, results: { fail: 1, pass: 1 } });
  const line = (await lines(place)).find(({ document }) => document === 'docs/manual.md');
  expect(line).toMatchObject({
    scores: [{ findings: [{ evidence: { status: 'rejected', reason: 'from_other_document', source: 'docs/ladders.md' } }] }],
  });
});
