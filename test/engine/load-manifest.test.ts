import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import { UserError } from '../../src/domain/errors.ts';
import { ManifestError } from '../../src/domain/manifest/manifest-error.ts';
import { loadManifest } from '../../src/engine/load-manifest.ts';
import { SAMPLE } from '../domain/manifest/sample.ts';

const FINDINGS = {
  type: 'object',
  properties: {
    findings: {
      type: 'array',
      items: { type: 'object', properties: { quote: { type: 'string' } }, required: ['quote'], additionalProperties: false },
    },
  },
  required: ['findings'],
  additionalProperties: false,
} as const;

let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'aieval-')), 'spec');
  await mkdir(folder);
  await write({ 'doc.md': 'A document.' });
});

afterEach(async () => {
  await rm(dirname(folder), { recursive: true });
});

async function write(files: { readonly [path: string]: string | Uint8Array | object }): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(folder, path);
    await mkdir(dirname(absolute), { recursive: true });
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(absolute, isText ? content : JSON.stringify(content));
  }
}

async function writeSample(): Promise<void> {
  await write({
    'manifest.json': SAMPLE,
    'prompts/ambiguity.md': '{{document}}\r\nList what is ambiguous by {{vars.style}}.\n',
    'schemas/findings.json': FINDINGS,
    'specs/deep/a.md': 'A specification.',
    'papers/b.pdf': '%PDF-',
  });
}

function withTask(fields: object, more: object = {}): object {
  return {
    version: 1,
    documents: ['*.md'],
    models: { fast: { model: 'm' } },
    tasks: { t: { prompt: '{{document}} Go.', checks: [], ...fields } },
    ...more,
  };
}

function load(path = 'manifest.json') {
  return loadManifest(path, { cwd: folder });
}

async function errorOf(path?: string): Promise<UserError> {
  const error: unknown = await load(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${String(error)}`);
  return error;
}

async function messagesOf(manifest: object): Promise<string[]> {
  await write({ 'manifest.json': manifest });
  const error = await errorOf();
  return error instanceof ManifestError
    ? error.problems.map(({ code, message }) => `${code} ${message.replace(/^manifest\.json:\d+:\d+: /, '')}`)
    : [];
}

async function warningsOf(manifest: object): Promise<string[]> {
  await write({ 'manifest.json': manifest });
  return (await load()).warnings.map((warning) => warning.replace(/^manifest\.json:\d+:\d+: /, ''));
}

describe('a good manifest', () => {
  test('comes with its files read and every default filled in', async () => {
    await writeSample();
    const pace = { requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved' };
    const timeouts = { connectMs: 10_000, firstTokenMs: 120_000, idleMs: 60_000, totalMs: 600_000 };
    const provider = { type: 'openai', identity: null, stream: true, headers: {}, concurrency: 4, cassette: null, latencyMs: 0, ...pace };
    const document = { literal: false, exclude: [], id: null, tags: [], passwordEnv: null, format: null, charset: null, optional: false };
    const { source, documentList, ...loaded } = await load();
    expect([documentList.extended, documentList.folder]).toEqual([null, folder]);
    expect(source.value).toEqual(JSON.parse(SAMPLE));
    expect(loaded).toEqual({
      path: join(folder, 'manifest.json'),
      baseDir: folder,
      documents: [
        {
          documentId: 'papers/b.pdf',
          path: join(folder, 'papers/b.pdf'),
          tags: ['paper'],
          entry: { ...document, include: 'papers/*.pdf', tags: ['paper'] },
        },
        {
          documentId: 'specs/deep/a.md',
          path: join(folder, 'specs/deep/a.md'),
          tags: [],
          entry: { ...document, include: 'specs/**/*.md' },
        },
      ],
      warnings: [],
      manifest: {
        version: 1,
        name: 'spec-review',
        documents: [
          { ...document, include: 'specs/**/*.md' },
          { ...document, include: 'papers/*.pdf', tags: ['paper'] },
        ],
        providers: {
          openai: { ...provider, id: 'openai', baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
          lab: { ...provider, id: 'lab', baseUrl: 'http://127.0.0.1:8000/v1', apiKeyEnv: null },
        },
        models: {
          fast: {
            id: 'fast',
            provider: 'openai',
            model: 'gpt-5-mini',
            group: null,
            params: { temperature: 0, maxOutputTokens: 1500 },
            price: { inputPerMTok: 0.25, cachedInputPerMTok: 0.025, outputPerMTok: 2, asOf: '2026-11-01' },
            contextTokens: 400_000,
            structuredOutput: 'auto',
            timeouts,
          },
          local: {
            id: 'local',
            provider: 'lab',
            model: 'qwen3-32b',
            group: null,
            params: { maxOutputTokens: 1500 },
            price: 'free',
            contextTokens: null,
            structuredOutput: 'auto',
            timeouts,
          },
        },
        tasks: {
          ambiguity: {
            id: 'ambiguity',
            prompt: '{{document}}\nList what is ambiguous by {{vars.style}}.\n',
            system: null,
            vars: { style: 'RFC 2119' },
            output: { format: 'json', schema: FINDINGS, strict: true, reask: 1 },
            checks: [
              {
                ...{ id: 'evidence', type: 'evidence', at: '/findings/*/quote', severity: 'must', minChars: 12, minVerified: 0 },
                ...{ page: null, line: null, elided: 'accept', absence: 'review' },
              },
              { id: 'count', type: 'count', at: '/findings', severity: 'must', where: null, min: null, max: 3 },
            ],
            documents: null,
            models: null,
            repeats: 1,
            aggregate: 'majority',
            priority: 0,
            chunk: null,
            merge: null,
          },
        },
        matrix: { exclude: [], only: [] },
        concurrency: 8,
        runConcurrency: null,
        retry: { attempts: 3, lostLeases: 3, maxWaitMs: 120_000 },
        lease: { ttlMs: 60_000, beatMs: 15_000, deadlineMs: 1_800_000 },
        cache: { mode: 'read-write', ttlDays: null, namespace: null },
        gate: { minPassRate: 0.8, maxErrorRate: 0 },
        budget: { usd: 3, tokens: null, minutes: null, warnAt: 0.8, group: null },
        sample: null,
        failFast: null,
        artifacts: 'all',
        outputs: [],
        privacy: { evidence: 'quote' },
        maxJobs: 10_000,
        maxQueueDepth: null,
      },
    });
  });

  test('has limits, groups, a sample and an end to its patience as it states them', async () => {
    const limits = { concurrency: 9, requestsPerMinute: 500, tokensPerMinute: 30_000 };
    await write({
      'manifest.json': withTask(
        {},
        {
          providers: { lab: { type: 'openai', baseUrl: 'http://127.0.0.1:1/v1', limits, tokenAccounting: 'actual' } },
          models: { fast: { model: 'm', provider: 'lab', group: 'big' } },
          retry: { maxWaitMs: 5000 },
          sample: { fraction: 0.5 },
          failFast: { afterFailures: 3 },
        },
      ),
    });
    const { manifest } = await load();
    expect(manifest.providers.lab).toMatchObject({ ...limits, tokenAccounting: 'actual' });
    expect(manifest.models.fast?.group).toBe('big');
    const { retry, sample, failFast } = manifest;
    expect({ retry, sample, failFast }).toEqual({
      retry: { attempts: 3, lostLeases: 3, maxWaitMs: 5000 },
      sample: { fraction: 0.5, seed: 0 },
      failFast: { afterFailures: 3 },
    });
  });

  test('has the list price of a model that states none, with its day', async () => {
    await write({ 'manifest.json': withTask({}, { models: { fast: { model: 'gpt-5-mini' }, mine: { model: 'my-model' } } }) });
    const { models } = (await load()).manifest;
    expect([models.fast?.price, models.mine?.price]).toEqual([
      { inputPerMTok: 0.25, cachedInputPerMTok: 0.025, outputPerMTok: 2, asOf: '2025-11-13', listed: true },
      null,
    ]);
  });

  test('is found in a folder, in any syntax, and is the same from all', async () => {
    await writeSample();
    const { manifest } = await load();
    await rm(join(folder, 'manifest.json'));
    await write({ 'manifest.yaml': SAMPLE });
    const found = await load('.');
    expect([found.path, found.manifest]).toEqual([join(folder, 'manifest.yaml'), manifest]);
  });

  test('is named after its folder', async () => {
    await write({ 'my specs (2)/manifest.json': withTask({}), 'my specs (2)/a.md': 'x' });
    expect((await load('my specs (2)/manifest.json')).manifest.name).toBe('my-specs-2');
  });

  test('has checks with ids: stated, by type, numbered', async () => {
    const checks = [
      { type: 'count', max: 1 },
      { type: 'equals', value: 1, id: 'count-2' },
      { type: 'count', max: 2 },
      { type: 'count', max: 3 },
    ];
    await write({ 'manifest.json': withTask({ checks }) });
    const { manifest } = await load();
    expect(manifest.tasks.t?.checks.map(({ id }) => id)).toEqual(['count', 'count-2', 'count-3', 'count-4']);
  });

  test('has providers with keys and headers by the name of their variables', async () => {
    const providers = {
      openai: { type: 'openai', apiKeyEnv: 'TEAM_KEY', headers: { 'OpenAI-Organization': `\${ORG}` } },
      mirror: { type: 'openai', baseUrl: 'https://api.openai.com/v1//' },
      lab: { type: 'openai', baseUrl: 'http://lab:8000/v1/', identity: 'lab', stream: false, limits: { concurrency: 2 } },
      tape: { type: 'replay', cassette: 'tape.jsonl', latencyMs: 5 },
      load: { type: 'simulated' },
    };
    const tape = '{"v":1,"entries":[]}';
    await write({ 'manifest.json': withTask({}, { providers }), 'tape.jsonl': tape });
    const { manifest } = await load();
    expect(
      Object.values(manifest.providers).map(({ id, baseUrl, apiKeyEnv, headers, cassette }) => [id, baseUrl, apiKeyEnv, headers, cassette]),
    ).toEqual([
      ['openai', 'https://api.openai.com/v1', 'TEAM_KEY', { 'OpenAI-Organization': 'ORG' }, null],
      ['mirror', 'https://api.openai.com/v1', 'OPENAI_API_KEY', {}, null],
      ['lab', 'http://lab:8000/v1', null, {}, null],
      ['tape', null, null, {}, { path: join(folder, 'tape.jsonl'), sha256: sha256Hex(tape) }],
      ['load', null, null, {}, null],
    ]);
  });

  test('takes what names an existing file as a path, other texts as they are', async () => {
    await write({ 'manifest.json': withTask({ prompt: 'ask', system: 'Be brief.' }), ask: '\uFEFF{{document}} from a file' });
    const { manifest } = await load();
    expect([manifest.tasks.t?.prompt, manifest.tasks.t?.system]).toEqual(['{{document}} from a file', 'Be brief.']);
  });

  test('has rules for parts with their defaults, and the prompt that joins their answers from its file', async () => {
    const output = { schema: { ...FINDINGS, properties: { ...FINDINGS.properties, summary: { type: 'string' } } } };
    const merge = { array: '/findings', reduce: 'sum.md' };
    await write({ 'manifest.json': withTask({ output, chunk: {}, merge }), 'sum.md': 'Sum up:\r\n{{answers}}' });
    const { chunk, merge: joined } = (await load()).manifest.tasks.t ?? {};
    expect(chunk).toEqual({ by: 'section', maxTokens: null, overlap: 200, context: true, when: 'needed' });
    expect(joined).toEqual({ array: ['/findings'], dedupe: 'evidence', reduce: 'Sum up:\n{{answers}}' });
  });

  test('repeats at most a quarter of a small part, unless it says otherwise', async () => {
    const overlaps = [{ maxTokens: 400 }, { maxTokens: 800, overlap: 150 }, { maxTokens: 8000 }].map(async (chunk, index) => {
      await write({ [`${index}.json`]: withTask({ chunk, merge: { array: ['/a', '/b'] } }) });
      return (await load(`${index}.json`)).manifest.tasks.t?.chunk?.overlap;
    });
    expect(await Promise.all(overlaps)).toEqual([100, 150, 200]);
  });

  test('takes schemas from JSON with comments and from YAML', async () => {
    const checks = [
      { type: 'schema', schema: 's.yaml' },
      { type: 'count', where: 's.jsonc', max: 1 },
    ];
    await write({ 'manifest.json': withTask({ checks }), 's.yaml': 'type: string', 's.jsonc': '{"type": "string"} // text' });
    const { manifest } = await load();
    expect(manifest.tasks.t?.checks).toMatchObject([{ schema: { type: 'string' } }, { where: { type: 'string' } }]);
  });
});

describe('no manifest', () => {
  test('E01 names the folder and the command that makes one', async () => {
    expect(await errorOf()).toMatchObject({
      code: 'E01',
      exitCode: 2,
      message: `manifest.json not found in ${folder}`,
      next: ['aieval init'],
    });
  });

  test('E01 names the file that was probably meant', async () => {
    await write({ 'manifset.json': {} });
    expect(await errorOf()).toMatchObject({
      code: 'E01',
      message: `manifest.json not found in ${folder}: did you mean manifset.json?`,
      next: ['aieval validate manifset.json'],
    });
  });

  test('E01 knows the other endings', async () => {
    await write({ 'manifest.yml': 'version: 1' });
    expect((await errorOf()).message).toBe(`manifest.json not found in ${folder}: did you mean manifest.yml?`);
  });

  test('a folder without one is said to have none', async () => {
    expect((await errorOf('.')).message).toBe(`manifest.json not found in ${folder}`);
  });

  test('a file in another encoding is refused', async () => {
    await write({ 'manifest.json': new Uint8Array([0xff, 0xfe, 0x7b, 0x00]) });
    expect(await errorOf()).toMatchObject({ code: 'E01', message: 'manifest.json is not UTF-8 text' });
  });
});

describe('a bad manifest', () => {
  test('is refused with all its problems, those of its files included, one per line', async () => {
    await write({
      'manifest.json':
        '{\n "version": 1, "documents": ["*.md"], "modles": {},\n "models": {"fast": {"model": "m"}},\n "tasks": {"t": {"prompt": "prompts/a.md", "repeats": 0, "checks": [], "output": {"schema": "s.json"}}}\n}',
      'prompts/a.md': '{{document}}\n\nUse {{vars.x}}.',
      's.json': '{"type": "object",\n "properties": {"a": {"type": "strang"}}}',
    });
    const error = await errorOf();
    expect(error).toBeInstanceOf(ManifestError);
    expect(error).toMatchObject({ code: 'E04', exitCode: 2, next: [] });
    expect(error.message.split('\n')).toEqual([
      'manifest.json:2:39: unknown key "modles". Did you mean "models"?',
      'error[E07]: manifest.json:4:55: tasks.t.repeats must be an integer 1–20, got 0',
      'error[E10]: prompts/a.md:3:5: unknown variable {{vars.x}}. Known: document, document.path, document.title, schema.',
      'error[E07]: s.json:2:31: tasks.t.output.schema is no JSON Schema that can be used: /properties/a/type must be equal to one of the allowed values',
    ]);
  });

  test('has what is wrong with its documents, its files and its fields in one list, each with its place', async () => {
    await write({
      'manifest.json': [
        '{ "version": 1, "gait": {},',
        '  "documents": ["zz/*.md", 5, { "tags": ["x"], "path": "y.md" }, { "path": "doc.md", "id": "a" }, { "path": "two.md", "id": "a" }],',
        '  "models": { "fast": { "model": "m" } },',
        '  "tasks": { "t": { "prompt": "{{document}}", "output": { "schema": "gone.json" }, "checks": [] },',
        '    "u": { "prompt": "{{document}}", "output": { "schema": "s.json" }, "checks": [{ "type": "evidence", "at": "/qoute" }] } } }',
      ].join('\n'),
      's.json': { type: 'object', properties: { quote: { type: 'string' } }, additionalProperties: false },
      'two.md': 'Another.',
    });
    const error = await errorOf();
    const near = `(base ${folder}; 2 files end in .md)`;
    expect(error.message.split('\n')).toEqual([
      expect.stringMatching(/^manifest\.json:1:17: unknown key "gait"\./),
      `error[E03]: manifest.json:2:17: documents[0] "zz/*.md" matches no file ${near}`,
      'error[E07]: manifest.json:2:28: documents[1] must be a glob or an object with "path" or "include", got 5',
      `error[E03]: manifest.json:2:56: documents[2] "y.md" does not exist ${near}`,
      expect.stringMatching(/^error\[E03\]: manifest\.json:2:109: documents\[4\] gives the id "a", which stands for 2 files: /),
      `error[E28]: manifest.json:4:69: tasks.t.output.schema: gone.json not found in ${folder}`,
      expect.stringMatching(
        /^error\[E09\]: manifest\.json:5:111: tasks\.u\.checks\[0\]\.at "\/qoute" leads to nothing that output\.schema allows/,
      ),
    ]);
    expect(error.next).toEqual([
      'correct "documents" in the manifest, or mark the entry "optional": true',
      'give each file an "id" of its own',
    ]);
  });

  test('shows the line of a syntax error', async () => {
    await write({ 'manifest.json': '{\n  "documents": ["x"]\n  "version": 1\n}' });
    expect(await errorOf()).toMatchObject({
      code: 'E02',
      message: `manifest.json:3:3: expected ',' or '}' after "documents" value\n    "version": 1\n    ^`,
      next: ['add a comma at the end of line 2'],
    });
  });

  test('names missing files, with a suggestion', async () => {
    await write({ 'prompts/claims.md': '{{document}}' });
    const providers = { tape: { type: 'replay', cassette: 'tape.jsonl' } };
    expect(await messagesOf(withTask({ prompt: 'prompts/clams.md', output: { schema: 'nowhere/s.json' } }, { providers }))).toEqual([
      `E28 tasks.t.prompt: clams.md not found in ${folder}/prompts. Did you mean "claims.md"?`,
      `E28 tasks.t.output.schema: s.json not found in ${folder}/nowhere`,
      `E28 providers.tape.cassette: tape.jsonl not found in ${folder}`,
    ]);
  });

  test('names what cannot be read as text', async () => {
    await write({ 'a.md': new Uint8Array([0xe9]), 'b.md/c': '' });
    expect(await messagesOf(withTask({ prompt: 'a.md', system: 'b.md' }))).toEqual([
      'E28 tasks.t.prompt: a.md is not UTF-8 text',
      'E28 tasks.t.system: b.md is a folder',
    ]);
  });

  test('names what would never end', async () => {
    await symlink('/dev/zero', join(folder, 'zero.json'));
    await symlink('/dev/zero', join(folder, 'zero.md'));
    const providers = { tape: { type: 'replay', cassette: '/dev/zero' } };
    const what = 'is a pipe or a device, not a file';
    expect(await messagesOf(withTask({ prompt: 'zero.md', output: { schema: 'zero.json' } }, { providers }))).toEqual([
      `E28 tasks.t.prompt: zero.md ${what}`,
      `E28 tasks.t.output.schema: zero.json ${what}`,
      `E28 providers.tape.cassette: /dev/zero ${what}`,
    ]);
  });

  test('places a variable of an inline prompt exactly', async () => {
    await write({ 'manifest.json': withTask({ prompt: '{{document}} {{doc}}' }) });
    const text = JSON.stringify(withTask({ prompt: '{{document}} {{doc}}' }));
    expect((await errorOf()).message).toBe(
      `manifest.json:1:${text.indexOf('{{doc}}') + 1}: unknown variable {{doc}}. Known: document, document.path, document.title, schema.`,
    );
  });

  test('says of a prompt without a document that it may have been meant as a path', async () => {
    await write({ 'manifest.json': withTask({ prompt: 'prompts/claims' }) });
    expect(await errorOf()).toMatchObject({
      code: 'E10',
      message: expect.stringContaining('tasks.t.prompt does not contain {{document}}'),
      next: ['if it is meant as a path: there is no such file'],
    });
  });

  test('may not have a check that looks where the schema allows nothing', async () => {
    const checks = [
      { type: 'evidence', at: '/findings/*/qoute' },
      { type: 'evidence', at: '/findings/*/quote', page: '/page', line: '/lnie' },
    ];
    expect(await messagesOf(withTask({ output: { schema: FINDINGS }, checks }))).toEqual([
      'E09 tasks.t.checks[0].at "/findings/*/qoute" leads to nothing that output.schema allows: "qoute" is not in quote. Did you mean "quote"?',
      'E09 tasks.t.checks[1].page "/page" leads to nothing that output.schema allows: "page" is not in quote.',
      'E09 tasks.t.checks[1].line "/lnie" leads to nothing that output.schema allows: "lnie" is not in quote.',
    ]);
  });

  test('may look at nothing but the whole of an answer that is text', async () => {
    const checks = [
      { type: 'evidence', at: '/findings/*/quote' },
      { type: 'contains', text: 'x' },
    ];
    expect(await messagesOf(withTask({ output: { format: 'text' }, checks }))).toEqual([
      'E09 tasks.t.checks[0].at "/findings/*/quote" leads to nothing: an answer of output.format "text" is one text',
    ]);
  });

  test('that looks at a name which an open schema does not declare is a warning', async () => {
    const open = { type: 'object', properties: { quote: { type: 'string' }, more: { type: 'object' } } };
    const warningsFor = async (schema: object, at: string): Promise<readonly string[]> => {
      await write({ 'manifest.json': withTask({ output: { schema, strict: false }, checks: [{ type: 'evidence', at }] }) });
      return (await load()).warnings.map((warning) => warning.replace(/^\S+ /, ''));
    };
    expect(await warningsFor(open, '/quotes')).toEqual([
      'tasks.t.checks[0].at names "/quotes", which the schema does not declare (did you mean "/quote"?)',
    ]);
    expect(await warningsFor(open, '/text')).toEqual(['tasks.t.checks[0].at names "/text", which the schema does not declare']);
    for (const at of ['/quote', '/more/quotes', '/more']) expect(await warningsFor(open, at)).toEqual([]);
    expect(await warningsFor({ ...open, additionalProperties: { type: 'string' } }, '/quotes')).toEqual([]);
  });

  test.each([
    [
      { at: 'findings/*/quote', page: '/page' },
      ['E07 tasks.t.checks[0].at must be a JSON pointer such as "/findings/*/quote", got "findings/*/quote" (string)'],
    ],
    [
      { at: '/findings/*/quote', page: 'page' },
      ['E07 tasks.t.checks[0].page must be a JSON pointer from the object that holds the quote, such as "/page", got "page" (string)'],
    ],
    [
      { at: '/finding/*/quote', page: '/page' },
      [
        'E09 tasks.t.checks[0].at "/finding/*/quote" leads to nothing that output.schema allows: "finding" is not in findings. Did you mean "findings"?',
      ],
    ],
  ])('one slip in the pointers of a check is one problem: %j', async (pointers, problems) => {
    expect(await messagesOf(withTask({ output: { schema: FINDINGS }, checks: [{ type: 'evidence', ...pointers }] }))).toEqual(problems);
  });
});

describe('answers to parts', () => {
  const summary = { type: 'string' };
  const schema = { ...FINDINGS, properties: { ...FINDINGS.properties, summary, more: { type: 'object', required: ['list', 'word'] } } };
  const merging = (merge: object, more: object = {}) => withTask({ output: { schema: { ...schema, ...more } }, chunk: {}, merge });
  const faults = (merge: object, more: object = {}) => messagesOf(merging(merge, more));

  test('are joined only where the schema has arrays', async () => {
    expect(await faults({ array: ['/finding', '/summary', '/findings'] })).toEqual([
      'E09 tasks.t.merge.array[0] "/finding" leads to nothing that output.schema allows: "finding" is not in findings, summary, more. Did you mean "findings"?',
      'E09 tasks.t.merge.array[1] "/summary" is no array in output.schema',
    ]);
    expect(await faults({ array: '/summary', reduce: '{{answers}}' })).toEqual([
      'E09 tasks.t.merge.array "/summary" is no array in output.schema',
    ]);
  });

  test('must give all that the schema requires, or be reduced', async () => {
    const required = ['findings', 'summary', 'more'];
    expect(await faults({ array: ['/findings', '/more/list'] }, { required })).toEqual([
      'E07 tasks.t.merge needs "reduce" for /more/word: output.schema requires it, and only arrays are joined',
      'E07 tasks.t.merge needs "reduce" for /summary: output.schema requires it, and only arrays are joined',
    ]);
    for (const fine of [merging({ array: '/findings', reduce: 'Sum up: {{answers}}' }, { required }), merging({ array: '/findings' })]) {
      expect((await warningsOf(fine)).join()).not.toContain('merge');
    }
  });

  test('are reduced by a prompt that is checked like any other', async () => {
    expect(await faults({ array: '/findings', reduce: 'Sum up {{document}}: {{merged}}' })).toEqual([
      'E10 {{document}} cannot stand in merge.reduce: only documents that do not fit the model are read in parts. Use {{answers}}',
    ]);
    expect(await faults({ array: '/findings', reduce: 'sum.md' })).toEqual([
      expect.stringMatching(/^E28 tasks\.t\.merge\.reduce: sum\.md not found in /),
    ]);
  });
});

describe('warnings', () => {
  test('a question before the document', async () => {
    await write({ 'q.md': 'A question that is long.\n{{document}}\n', 'manifest.json': withTask({ prompt: 'q.md' }) });
    expect((await load()).warnings).toEqual(['q.md:2:1: tasks.t.prompt: put the document before the question: providers cache the prefix']);
  });

  test('files outside the folder', async () => {
    await write({ '../shared.md': '{{document}} Go.', '..odd.md': 'x', '../a.md': 'x' });
    const documents = ['*.md', { path: '..odd.md' }, { path: '../a.md' }, `${dirname(folder)}/a*.md`];
    expect(await warningsOf(withTask({ prompt: '../shared.md' }, { documents }))).toEqual([
      'documents[2].path "../a.md" is outside the manifest\'s folder',
      `documents[3] "${dirname(folder)}/a*.md" is outside the manifest's folder`,
      'tasks.t.prompt "../shared.md" is outside the manifest\'s folder',
    ]);
  });

  test('a format that no validator knows', async () => {
    const checks = [
      { type: 'schema', schema: { properties: { format: { format: 'klingon' }, on: { format: 'date' } } } },
      { type: 'count', at: '/a', min: 1, where: { items: { format: 'uid' }, default: { format: 'data' } } },
    ];
    const manifest = withTask({ checks }, { models: { fast: { model: 'm', provider: 'lab' } }, providers: { lab: { type: 'simulated' } } });
    expect(await warningsOf(manifest)).toEqual([
      'tasks.t.checks[0].schema: /properties/format/format "klingon" is not known and not checked',
      'tasks.t.checks[1].where: /items/format "uid" is not known and not checked',
    ]);
  });

  test('a schema that OpenAI’s strict mode refuses, where OpenAI is asked', async () => {
    const output = { schema: { type: 'object', properties: { a: {} } } };
    const local = { providers: { lab: { type: 'simulated' } }, models: { fast: { model: 'm', provider: 'lab' } } };
    expect([
      await warningsOf(withTask({ output })),
      await warningsOf(withTask({ output }, local)),
      await warningsOf(withTask({ output: { ...output, strict: false } })),
    ]).toEqual([
      ['tasks.t.output.schema does not fit OpenAI\'s strict mode: it needs "additionalProperties": false; or set "strict": false'],
      [],
      [],
    ]);
  });
});

describe('a budget', () => {
  const MAY_COST = { models: { fast: { model: 'm', params: { maxOutputTokens: 10 } } } };

  test.each<[string, object, readonly string[]]>([
    [
      'in USD of a model without a price',
      { ...MAY_COST, budget: { usd: 1 } },
      ['E19 price of model "fast" unknown, so budget.usd cannot be enforced'],
    ],
    [
      'of a group, of a model without a price or a longest answer',
      { models: { fast: { model: 'm' } }, budget: { tokens: 5, group: { name: 'team', usd: 1 } } },
      [
        'E19 price of model "fast" unknown, so budget.group cannot be enforced',
        'E19 longest answer of model "fast" unknown (params.maxOutputTokens), so budget.group cannot be enforced',
      ],
    ],
    [
      'in tokens of a free model without a longest answer',
      { models: { fast: { model: 'm', price: 'free' } }, budget: { tokens: 5 } },
      ['E19 longest answer of model "fast" unknown (params.maxOutputTokens), so budget.tokens cannot be enforced'],
    ],
    [
      'whose price only the answers would tell',
      {
        providers: { openrouter: { type: 'openai', baseUrl: 'https://openrouter.ai/api/v1', apiKeyEnv: 'OPENROUTER_API_KEY' } },
        models: { fast: { provider: 'openrouter', model: 'openai/gpt-5-mini', params: { maxOutputTokens: 10 } } },
        budget: { usd: 1 },
      },
      ['E19 price of model "fast" unknown, so budget.usd cannot be enforced'],
    ],
  ])('%s is refused', async (_, more, expected) => {
    expect(await messagesOf(withTask({}, more))).toEqual(expected);
  });

  test('is refused at the model that has no price, and says what to do', async () => {
    await write({
      'manifest.json':
        '{ "version": 1, "documents": ["*.md"], "budget": { "usd": 1 },\n  "models": {\n    "fast": { "model": "m", "params": { "maxOutputTokens": 10 } } },\n  "tasks": { "t": { "prompt": "{{document}} Go.", "checks": [] } } }',
    });
    const error = await errorOf();
    expect(error).toMatchObject({
      code: 'E19',
      exitCode: 2,
      message: 'manifest.json:3:5: price of model "fast" unknown, so budget.usd cannot be enforced',
      next: ['state models.fast.price in the manifest; "free" for a server of your own'],
    });
  });

  test.each<[string, object]>([
    ['of a model with a list price', { models: { fast: { model: 'gpt-5-mini', params: { maxOutputTokens: 10 } } }, budget: { usd: 1 } }],
    ['of a free model without a longest answer', { models: { fast: { model: 'm', price: 'free' } }, budget: { usd: 1 } }],
    ['in minutes', { budget: { minutes: 1 } }],
    [
      'of a model that no task uses',
      {
        models: { ...MAY_COST.models, free: { model: 'm', price: 'free' } },
        budget: { usd: 1 },
        tasks: { t: { prompt: '{{document}} Go.', checks: [], models: ['free'] } },
      },
    ],
  ])('%s can be enforced', async (_, more) => {
    await write({ 'manifest.json': withTask({}, more) });
    expect((await load()).manifest.budget).not.toBeNull();
  });

  test('on the command line takes the place of that in USD, and needs prices as it does', async () => {
    await write({ 'manifest.json': withTask({}, { ...MAY_COST, budget: { minutes: 5, warnAt: 0.5 } }) });
    await expect(loadManifest('manifest.json', { cwd: folder, settings: { maxCost: 2 }, maxCostName: '--max-cost' })).rejects.toMatchObject(
      {
        code: 'E19',
        message: 'manifest.json:1:45: price of model "fast" unknown, so --max-cost cannot be enforced',
      },
    );
    await write({
      'manifest.json': withTask({}, { models: { fast: { model: 'm', price: 'free' } }, budget: { minutes: 5, warnAt: 0.5 } }),
    });
    const { manifest } = await loadManifest('manifest.json', { cwd: folder, settings: { maxCost: 2 }, maxCostName: '--max-cost' });
    expect(manifest.budget).toEqual({ usd: 2, tokens: null, minutes: 5, warnAt: 0.5, group: null, ofStart: true });
  });

  test('comes from the command line alone where the manifest has none', async () => {
    await write({ 'manifest.json': withTask({}, { models: { fast: { model: 'm', price: 'free' } } }) });
    const { manifest } = await loadManifest('manifest.json', { cwd: folder, settings: { maxCost: 0 } });
    expect(manifest.budget).toEqual({ usd: 0, tokens: null, minutes: null, warnAt: 0.8, group: null, ofStart: true });
  });
});
