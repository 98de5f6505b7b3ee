import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../../src/domain/manifest/parse.ts';
import type { Problem } from '../../../src/domain/manifest/problem.ts';
import { MINIMAL, SAMPLE } from './sample.ts';

function problemsOf(text: string, name = 'manifest.json'): readonly Problem[] {
  const parsed = parseManifest(text, name);
  return parsed.ok ? [] : parsed.problems;
}

/** Messages of a one-line manifest that is minimal but for these fields, without their places. */
function messagesWith(fields: object): string[] {
  return problemsOf(JSON.stringify({ ...MINIMAL, ...fields })).map(
    ({ code, message }) => `${code} ${message.replace(/^manifest\.json:\d+:\d+: /, '')}`,
  );
}

function messagesOfTask(fields: object): string[] {
  return messagesWith({ tasks: { t: { ...MINIMAL.tasks.ambiguity, ...fields } } });
}

function messagesOfCheck(check: object): string[] {
  return messagesOfTask({ checks: [check] });
}

function messagesOfModel(fields: object): string[] {
  return messagesWith({ models: { fast: { model: 'gpt-5-mini', ...fields } } });
}

describe('the catalogue', () => {
  test('E04: every unknown key, at every depth, with a suggestion', () => {
    const text = `{
  "version": 1,
  "documnets": ["x"],
  "documents": [{ "include": "x", "tag": ["a"] }],
  "models": { "fast": { "model": "m", "timeouts": { "idlems": 5 } } },
  "tasks": { "t": { "prompt": "{{document}}", "checks": [{ "type": "count", "maximum": 3, "max": 3 }] } }
}`;
    expect(problemsOf(text).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'E04 manifest.json:3:3: unknown key "documnets". Did you mean "documents"?',
      'E04 manifest.json:4:35: unknown key "tag" in documents[0]. Did you mean "tags"?',
      'E04 manifest.json:5:53: unknown key "idlems" in models.fast.timeouts. Did you mean "idleMs"?',
      'E04 manifest.json:6:77: unknown key "maximum" in tasks.t.checks[0]. Known: id, at, severity, type, where, min, max',
    ]);
  });

  test('E06: a secret is named, never shown', () => {
    const secret = 'sk-proj-AbCdEf0123456789AbCdEf';
    const text = JSON.stringify({
      ...MINIMAL,
      models: { fast: { model: 'm', apiKey: 'hunter2' } },
      providers: {
        lab: {
          type: 'openai',
          baseUrl: 'https://ann:hunter2@example.org/v1',
          apiKeyEnv: secret,
          headers: { Authorization: 'Basic aHVudGVyMjpodW50' },
        },
      },
    });
    const problems = problemsOf(text);
    expect(problems.map(({ code, message }) => `${code} ${message.replace(/^manifest\.json:\d+:\d+: /, '')}`)).toEqual([
      'E06 models.fast.apiKey looks like a secret. Put it in an environment variable and use "apiKeyEnv". Revoke this key if it was committed.',
      'E06 providers.lab.baseUrl looks like a secret. Put it in an environment variable and use "apiKeyEnv". Revoke this key if it was committed.',
      'E06 providers.lab.apiKeyEnv looks like a secret. Put it in an environment variable and use "apiKeyEnv". Revoke this key if it was committed.',
      `E06 providers.lab.headers.Authorization looks like a secret. Put it in an environment variable and write its name as "\${NAME}". Revoke this key if it was committed.`,
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/hunter2|AbCdEf|aHVudG/);
  });

  test('E06: no other problem on the same line shows the secret either', () => {
    const problems = problemsOf('{"version": 1, "models": {"fast": {"apiKey": "hunter2", "nope": "sk-AbCdEf0123456789AbCdEf"}}, "x": 1}');
    expect(problems.length).toBeGreaterThan(4);
    expect(JSON.stringify(problems)).not.toMatch(/hunter2|AbCdEf/);
  });

  test('E06: a prompt may speak of keys', () => {
    expect(messagesOfTask({ prompt: '{{document}} Never print keys such as sk-AbCdEf0123456789AbCdEf.' })).toEqual([]);
  });

  test('E07: what was expected and what came, at the place of the value', () => {
    const text =
      '{\n  "version": 1, "documents": ["x"], "models": {"fast": {"model": "m"}},\n  "tasks": {"ambiguity": {"prompt": "{{document}}", "checks": [], "repeats": "3"}}\n}';
    expect(problemsOf(text)).toEqual([
      {
        code: 'E07',
        file: 'manifest.json',
        path: '/tasks/ambiguity/repeats',
        line: 3,
        column: 78,
        message: 'manifest.json:3:78: tasks.ambiguity.repeats must be an integer 1–20, got "3" (string)',
        hint: null,
        excerpt: `${text.split('\n')[2]?.slice(17)}\n${' '.repeat(60)}^`,
      },
    ]);
  });

  test('E08: another version is the only thing said', () => {
    const problems = problemsOf('{"version": 2, "unknown": true}');
    expect(problems.map(({ code, message, hint }) => ({ code, message, hint }))).toEqual([
      {
        code: 'E08',
        message: 'manifest.json:1:13: manifest version 2 needs a newer aieval; this one reads version 1',
        hint: 'update aieval; in a clone of it: git pull && npm ci',
      },
    ]);
  });

  test('E09: references to nothing', () => {
    const models = { fast: { model: 'm' }, local: { model: 'm', provider: 'lba' } };
    const providers = { lab: { type: 'simulated' } };
    const documents = [{ include: 'x', tags: ['paper'] }];
    const tasks = { cites: { prompt: '{{document}}', checks: [], models: ['fsat', 'fast'], documents: ['tag:papr', 'tag:paper', 'x/*'] } };
    const matrix = { exclude: [{ model: 'loca' }], only: [{ task: 'cite', document: 'anything' }, { model: 'f*' }] };
    expect(messagesWith({ models, providers, documents, tasks, matrix })).toEqual(
      [
        'E09 models.local.provider "lba" is not in providers (lab, openai). Did you mean "lab"?',
        'E09 tasks.cites.models[0] "fsat" is not in models (fast, local). Did you mean "fast"?',
        'E09 tasks.cites.documents[0] "tag:papr" is no tag of documents (paper). Did you mean "tag:paper"?',
        'E09 matrix.exclude[0].model "loca" is not in models (fast, local). Did you mean "local"?',
        'E09 matrix.only[0].task "cite" is not in tasks (cites). Did you mean "cites"?',
      ].sort(byPlaceIn(JSON.stringify({ ...MINIMAL, models, providers, documents, tasks, matrix }))),
    );
  });

  test('E09: a tag where no document has any', () => {
    expect(messagesOfTask({ documents: ['tag:x'] })).toEqual([
      'E09 tasks.t.documents[0] "tag:x" matches nothing: no entry of documents has tags.',
    ]);
  });

  test('E11: a task without checks', () => {
    const [problem] = problemsOf(JSON.stringify({ ...MINIMAL, tasks: { claims: { prompt: '{{document}}' } } }));
    expect(problem).toMatchObject({
      code: 'E11',
      path: '/tasks/claims',
      message: 'manifest.json:1:91: task "claims" has no checks, so every job would pass',
      hint: 'add "checks", or "checks": [] to collect answers only',
    });
  });

  test.each([
    ['baseline', { baseline: 'x' }],
    ['hiddenText', { hiddenText: 'x' }],
    ['review', { review: {} }],
    ['waivers', { waivers: [] }],
    ['allowHosts', { allowHosts: [] }],
    ['gate.maxRegressions', { gate: { maxRegressions: 0 } }],
    ['tasks.t.requires', { tasks: { t: { prompt: '{{document}}', checks: [], requires: [] } } }],
  ])('E26: %s is refused, not ignored', (path, fields) => {
    expect(messagesWith(fields)).toEqual([`E26 ${path} is not supported yet: remove it`]);
  });

  test.each(['gold', 'agree', 'judge', 'command', 'coverage'])('E26: so is the check type %s', (type) => {
    expect(messagesOfCheck({ type })).toEqual([`E26 tasks.t.checks[0].type "${type}" is not supported yet`]);
  });
});

describe('outputs and privacy', () => {
  test('take what there is, and are none and "quote" by default', () => {
    const parsed = parseManifest(JSON.stringify({ ...MINIMAL, outputs: ['junit', 'html'], privacy: { evidence: 'none' } }), 'm.json');
    expect(parsed).toMatchObject({ ok: true, manifest: { outputs: ['junit', 'html'], privacy: { evidence: 'none' } } });
    expect(parseManifest(JSON.stringify(MINIMAL), 'm.json')).toMatchObject({ manifest: { outputs: [], privacy: { evidence: 'quote' } } });
  });

  test('refuse what there is not', () => {
    expect(messagesWith({ outputs: ['junitt', 'csv'] })).toEqual([
      'E07 outputs[0] must be "junit", "csv", "sarif", "html" or "badge", got "junitt" (string). Did you mean "junit"?',
    ]);
    expect(messagesWith({ privacy: { evidence: 'some', quotes: 1 } })).toEqual([
      'E07 privacy.evidence must be "quote" or "none", got "some" (string). Did you mean "none"?',
      'E04 unknown key "quotes" in privacy. Known: evidence',
    ]);
  });
});

describe('profiles', () => {
  const lines = (profiles: string): string => `{ "version": 1, "documents": ["*.md"], "models": { "fast": { "model": "m" } },
"tasks": { "t": { "prompt": "{{document}}", "checks": [] } },
"profiles": ${profiles} }`;
  const messages = (profiles: string) => problemsOf(lines(profiles)).map(({ code, message }) => `${code} ${message}`);

  test('that are sound are accepted, and change nothing unless asked for', () => {
    const parsed = parseManifest(lines('{ "ci": { "gate": { "minPassRate": 0.5 } } }'), 'm.json');
    expect(parsed).toMatchObject({ ok: true, manifest: { gate: { minPassRate: 1 } } });
  });

  test('are judged on the whole that they make, at every depth, each problem at its place', () => {
    expect(messages('{ "ci": { "models": { "fast": { "modl": "x", "params": { "temperature": 9 } } },\n"budgt": { "usd": 1 } } }')).toEqual(
      [
        'E04 manifest.json:3:45: unknown key "modl" in models.fast. Did you mean "model"? (with profile "ci")',
        'E07 manifest.json:3:85: models.fast.params.temperature must be a number 0–2, got 9 (with profile "ci")',
        'E04 manifest.json:4:1: unknown key "budgt". Did you mean "budget"? (with profile "ci")',
      ],
    );
    expect(messages('{ "ci": { "tasks": { "t": { "models": ["fats"] } }, "providers": { "openai": { "apiKey": "x" } } } }')).toEqual([
      'E09 manifest.json:3:52: tasks.t.models[0] "fats" is not in models (fast). Did you mean "fast"? (with profile "ci")',
      'E07 manifest.json:3:80: providers.openai.type is missing: it must be "openai", "replay" or "simulated" (with profile "ci")',
      expect.stringMatching(/^E06 manifest\.json:3:102: providers\.openai\.apiKey looks like a secret/),
    ]);
  });

  test('hold no key, but may speak of one in a prompt, as the manifest itself', () => {
    const key = `sk-${'abcd1234'.repeat(5)}`;
    expect(messages(`{ "ci": { "models": { "fast": { "group": "${key}" } } } }`)).toEqual([
      expect.stringMatching(/^E06 manifest\.json:3:54: models\.fast\.group looks like a secret/),
    ]);
    expect(messages(`{ "ci": { "tasks": { "t": { "prompt": "{{document}} Is ${key} in it?" } } } }`)).toEqual([]);
  });

  test('do not repeat what is wrong without them', () => {
    const text = lines('{ "ci": { "concurrency": 2 } }').replace('"version": 1', '"version": 1, "concurency": 3');
    expect(problemsOf(text).map(({ message }) => message)).toEqual([
      'manifest.json:1:17: unknown key "concurency". Did you mean "concurrency"?',
    ]);
  });

  test('cannot hold what belongs to the file, and must be objects', () => {
    expect(messages('{ "ci": { "version": 1, "extends": [], "profiles": {} }, "x": 3 }')).toEqual([
      'E04 manifest.json:3:23: a profile cannot hold "version"',
      'E04 manifest.json:3:37: a profile cannot hold "extends"',
      'E04 manifest.json:3:52: a profile cannot hold "profiles"',
      'E07 manifest.json:3:75: profiles.x must be an object: a part of a manifest, got 3',
    ]);
    expect(messages('[]')).toEqual([
      'E07 manifest.json:3:13: profiles must be an object: profile name → part of a manifest, got an empty list',
    ]);
  });

  test('may be a hundred, and no more', () => {
    const many = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])));
    expect(messages(many(100))).toEqual([]);
    expect(messages(many(101))).toEqual(['E07 manifest.json:3:1: profiles must be at most 100']);
  });
});

/** Orders messages as the fields they name stand in the text: top-level key first. */
function byPlaceIn(text: string): (a: string, b: string) => number {
  const place = (message: string): number => text.indexOf(`"${message.slice(4).split(/[.[ ]/)[0]}":`);
  return (a, b) => place(a) - place(b);
}

describe('fields', () => {
  const table: [title: string, messages: string[], expected: string[]][] = [
    [
      'a manifest that is no object',
      problemsOf('[]').map(({ message }) => message),
      ['manifest.json:1:1: the manifest must be an object, got an empty list'],
    ],
    [
      'an empty manifest',
      problemsOf('{}').map(({ message }) => message),
      [
        'manifest.json:1:1: documents is missing: it must be a list of globs or objects',
        'manifest.json:1:1: models is missing: it must be an object: model name → model',
        'manifest.json:1:1: tasks is missing: it must be an object: task name → task',
        'manifest.json:1:1: version is missing: it must be 1',
      ],
    ],
    [
      'empty parts',
      messagesWith({ documents: [], models: {}, tasks: {} }),
      [
        'E07 documents must name at least one glob or file, got an empty list',
        'E07 models must name at least one model, got an empty object',
        'E07 tasks must name at least one task, got an empty object',
      ],
    ],
    ['a version that is a text', messagesWith({ version: '1' }), ['E07 version must be 1, got "1" (string)']],
    [
      'a name that is no slug',
      messagesWith({ name: 'my run' }),
      ['E07 name must be a name of letters, digits, ".", "_" and "-", got "my run" (string)'],
    ],
    [
      'a colon in a model name',
      messagesWith({ models: { 'a:b': { model: 'm' } } }),
      ['E07 models: "a:b" must be a name of 1–100 characters without ":", "#" or white space'],
    ],
    [
      'a hash in a task name',
      messagesWith({ tasks: { 'a#1': { prompt: '{{document}}', checks: [] } } }),
      ['E07 tasks: "a#1" must be a name of 1–100 characters without ":", "#" or white space'],
    ],
    [
      'a document that is a number',
      messagesWith({ documents: [5] }),
      ['E07 documents[0] must be a glob or an object with "path" or "include", got 5'],
    ],
    ['a document with nothing', messagesWith({ documents: [{}] }), ['E07 documents[0] needs "path" or "include"']],
    [
      'a document with both',
      messagesWith({ documents: [{ path: 'a', include: 'b' }] }),
      ['E07 documents[0].include has both "path" and "include": keep one'],
    ],
    [
      'an id for many files',
      messagesWith({ documents: [{ include: 'a*', id: 'x' }] }),
      ['E07 documents[0].id needs "path": a glob may match many files'],
    ],
    [
      'an unknown charset',
      messagesWith({ documents: [{ path: 'a', charset: 'klingon' }] }),
      ['E07 documents[0].charset must be an encoding label of the WHATWG list, such as "windows-1252", got "klingon" (string)'],
    ],
    [
      'a rule over several fields beside a field that is wrong',
      messagesWith({
        documents: [{ path: 'a', charset: 'klingon', optional: 'yes' }],
        lease: { ttlMs: 100, beatMs: 90, deadlineMs: 'long' },
        matrix: { exclude: [{ document: 5 }, {}] },
        models: { fast: { model: 'm', params: { messages: [], model: 'x', n: 2, temperature: 'hot' } } },
        tasks: {
          t: {
            prompt: '{{document}}',
            output: { format: 'text', schema: {}, reask: 7 },
            checks: [
              { type: 'range', min: 3, max: 1, at: 5, id: 'a' },
              { type: 'regex', pattern: '(', flags: 'zz', id: 'a' },
              { type: 'count', min: 'few' },
            ],
          },
        },
      }),
      [
        'E07 documents[0].charset must be an encoding label of the WHATWG list, such as "windows-1252", got "klingon" (string)',
        'E07 documents[0].optional must be true or false, got "yes" (string)',
        'E07 models.fast.params.messages is set by aieval: remove it',
        'E07 models.fast.params.model is set by aieval: remove it',
        'E07 models.fast.params.n is set by aieval: remove it',
        'E07 models.fast.params.temperature must be a number 0–2, got "hot" (string)',
        'E07 tasks.t.output.schema has no meaning with "format": "text"',
        'E07 tasks.t.output.reask must be an integer 0–1, got 7',
        'E07 tasks.t.checks[0].min is greater than "max": 3 > 1',
        'E07 tasks.t.checks[0].at must be a JSON pointer such as "/findings/*/quote", got 5',
        'E07 tasks.t.checks[1].pattern cannot be used: Invalid regular expression: /(/: Unterminated group',
        'E07 tasks.t.checks[1].flags must be flags out of "imsuv", each once, got "zz" (string)',
        'E07 tasks.t.checks[1].id repeats that of checks[0]',
        'E07 tasks.t.checks[2].min must be an integer 0–1000000, got "few" (string)',
        'E07 lease.beatMs must be at most half of ttlMs (100), got 90',
        'E07 lease.deadlineMs must be an integer 100–86400000, got "long" (string)',
        'E07 matrix.exclude[0].document must be a glob, got 5',
        'E07 matrix.exclude[1] needs "document", "task" or "model"',
      ],
    ],
    [
      'what is missing beside a key that is likely its misspelling',
      messagesWith({ documents: [{ pth: 'a' }] }),
      ['E04 unknown key "pth" in documents[0]. Did you mean "path"?'],
    ],
    [
      'an empty base URL, once',
      messagesWith({ providers: { p: { type: 'openai', baseUrl: '' } } }),
      ['E07 providers.p.baseUrl must be an http or https URL, not empty, got "" (string)'],
    ],
    [
      'an unknown provider type',
      messagesWith({ providers: { p: { type: 'opnai' } } }),
      ['E07 providers.p.type must be "openai", "replay" or "simulated", got "opnai" (string). Did you mean "openai"?'],
    ],
    [
      'a provider without type',
      messagesWith({ providers: { p: {} } }),
      ['E07 providers.p.type is missing: it must be "openai", "replay" or "simulated"'],
    ],
    [
      'replay without cassette',
      messagesWith({ providers: { p: { type: 'replay' } } }),
      ['E07 providers.p.cassette is missing: it must be a path'],
    ],
    [
      'a base URL of another scheme',
      messagesWith({ providers: { p: { type: 'openai', baseUrl: 'ftp://x' } } }),
      ['E07 providers.p.baseUrl must be an http or https URL without user, query or fragment, got "ftp://x" (string)'],
    ],
    [
      'a literal header',
      messagesWith({ providers: { p: { type: 'openai', headers: { 'X-Org': 'acme' } } } }),
      [`E07 providers.p.headers.X-Org must be a reference to an environment variable, such as "\${ORG_ID}", got "acme" (string)`],
    ],
    [
      'a price of another word',
      messagesOfModel({ price: 'gratis' }),
      ['E07 models.fast.price must be "free" or an object with "inputPerMTok" and "outputPerMTok", got "gratis" (string)'],
    ],
    [
      'limits that are none',
      messagesWith({
        providers: { lab: { type: 'openai', limits: { requestsPerMinute: 0, tokensPerMinute: 1.5 }, tokenAccounting: 'both' } },
        retry: { maxWaitMs: 10 },
      }),
      [
        'E07 providers.lab.limits.requestsPerMinute must be an integer 1–1000000000, got 0',
        'E07 providers.lab.limits.tokensPerMinute must be an integer 1–1000000000, got 1.5',
        'E07 providers.lab.tokenAccounting must be "reserved" or "actual", got "both" (string)',
        'E07 retry.maxWaitMs must be an integer 1000–600000, got 10',
      ],
    ],
    [
      'parts that are not joined, or joined from nothing',
      [...messagesOfTask({ chunk: {} }), ...messagesOfTask({ merge: { array: '/a' } }), ...messagesOfTask({ chunk: {}, merge: {} })],
      [
        'E07 tasks.t.chunk needs "merge" beside it, with "array" or "reduce"',
        'E07 tasks.t.merge has no meaning without "chunk"',
        'E07 tasks.t.merge needs "array" or "reduce"',
      ],
    ],
    [
      'parts of impossible sizes, and misspelt rules',
      messagesOfTask({
        chunk: { by: 'page', maxTokens: 300, overlap: 150, when: 'ever', contxt: false },
        merge: { array: '/findings/*', dedupe: 'text' },
      }),
      [
        'E07 tasks.t.chunk.by must be "section" or "tokens", got "page" (string)',
        'E07 tasks.t.chunk.overlap must be at most 75, a quarter of maxTokens, got 150',
        'E07 tasks.t.chunk.when must be "needed" or "always", got "ever" (string)',
        'E04 unknown key "contxt" in tasks.t.chunk. Did you mean "context"?',
        'E07 tasks.t.merge.array must be a JSON pointer without "*", such as "/findings", got "/findings/*" (string)',
        'E07 tasks.t.merge.dedupe must be "evidence" or "none", got "text" (string)',
      ],
    ],
    [
      'parts that are always made of no size',
      messagesOfTask({ chunk: { when: 'always' }, merge: { array: '/a' } }),
      ['E07 tasks.t.chunk.maxTokens is missing: it must be stated with "when": "always"'],
    ],
    [
      'a part of fewer than 200 tokens, and arrays that are none',
      [...messagesOfTask({ chunk: { maxTokens: 199 }, merge: { array: [] } }), ...messagesOfTask({ chunk: {}, merge: { array: 3 } })],
      [
        'E07 tasks.t.chunk.maxTokens must be an integer 200–10000000, got 199',
        'E07 tasks.t.merge.array must name at least one array, got an empty list',
        'E07 tasks.t.merge.array must be a JSON pointer such as "/findings", or a list of them, got 3',
      ],
    ],
    [
      'texts without a prompt that joins them',
      messagesOfTask({ output: { format: 'text' }, chunk: {}, merge: { array: '/findings' } }),
      [
        'E07 tasks.t.merge needs "reduce": texts cannot be joined otherwise',
        'E07 tasks.t.merge.array has no meaning with "format": "text"',
      ],
    ],
    ['a budget without a bound', messagesWith({ budget: {} }), ['E07 budget needs "usd", "tokens", "minutes" or "group"']],
    [
      'a budget of nonsense',
      messagesWith({ budget: { usd: -1, tokens: 0, minutes: 0, warnAt: 80, group: { name: 'a b', usd: 'all', per: 'year' } } }),
      [
        'E07 budget.usd must be a number 0–1000000, got -1',
        'E07 budget.tokens must be an integer 1–1000000000000, got 0',
        'E07 budget.minutes must be a number above 0, up to 1000000, got 0',
        'E07 budget.warnAt must be a number 0–1, got 80',
        'E07 budget.group.name must be a name of letters, digits, ".", "_" and "-", got "a b" (string)',
        'E07 budget.group.usd must be a number 0–1000000, got "all" (string)',
        'E07 budget.group.per must be "month" or "total", got "year" (string)',
      ],
    ],
    [
      'a sample of nothing',
      messagesWith({ sample: { fraction: 0 }, failFast: { afterFailures: 0 } }),
      ['E07 sample.fraction must be a number above 0, up to 1, got 0', 'E07 failFast.afterFailures must be an integer 1–10000000, got 0'],
    ],
    [
      'a price tier without its beginning',
      messagesOfModel({ price: { inputPerMTok: 1, outputPerMTok: 2, above: [{ inputPerMTok: 2, outputPerMTok: 3 }] } }),
      ['E07 models.fast.price.above[0].inputTokens is missing: it must be an integer 1–100000000'],
    ],
    [
      'half a price',
      messagesOfModel({ price: { inputPerMTok: 1 } }),
      ['E07 models.fast.price.outputPerMTok is missing: it must be a number 0–1000000'],
    ],
    [
      'another tool’s parameter names',
      messagesOfModel({ params: { max_tokens: 5, top_p: 1 } }),
      [
        'E07 models.fast.params.max_tokens is not known. Did you mean "maxOutputTokens"?',
        'E07 models.fast.params.top_p is not known. Did you mean "topP"?',
      ],
    ],
    [
      'a misspelt parameter',
      messagesOfModel({ params: { temprature: 1 } }),
      ['E07 models.fast.params.temprature is not known. Did you mean "temperature"?'],
    ],
    [
      'a parameter that aieval sets',
      messagesOfModel({ params: { stream: false } }),
      ['E07 models.fast.params.stream is set by aieval: remove it'],
    ],
    [
      'a parameter out of range',
      messagesOfModel({ params: { temperature: 5 } }),
      ['E07 models.fast.params.temperature must be a number 0–2, got 5'],
    ],
    ['a parameter of the server', messagesOfModel({ params: { top_k: 40, reasoning_effort: 'low' } }), []],
    [
      'a schema for text',
      messagesOfTask({ output: { format: 'text', schema: {} } }),
      ['E07 tasks.t.output.schema has no meaning with "format": "text"'],
    ],
    [
      'a schema that is a number',
      messagesOfTask({ output: { schema: 3 } }),
      ['E07 tasks.t.output.schema must be a JSON Schema or the path of one, got 3'],
    ],
    [
      'an invalid schema',
      messagesOfTask({ output: { schema: { properties: { a: { type: 'strang' } } } } }),
      ['E07 tasks.t.output.schema is no JSON Schema that can be used: /properties/a/type must be equal to one of the allowed values'],
    ],
    [
      'a schema of an old draft',
      messagesOfTask({ output: { schema: { $schema: 'http://json-schema.org/draft-04/schema#' } } }),
      [
        'E07 tasks.t.output.schema is no JSON Schema that can be used: /$schema "http://json-schema.org/draft-04/schema#" is not supported: use draft-07 or 2020-12',
      ],
    ],
    [
      'a tuple of draft-07',
      messagesOfTask({ output: { schema: { $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] } } }),
      [],
    ],
    [
      'a reference to another file',
      messagesOfCheck({ type: 'schema', schema: { $ref: 'other.json' } }),
      ["E07 tasks.t.checks[0].schema is no JSON Schema that can be used: can't resolve reference other.json from id #"],
    ],
    [
      'an invalid where',
      messagesOfCheck({ type: 'count', max: 1, where: { type: ['x'] } }),
      ['E07 tasks.t.checks[0].where is no JSON Schema that can be used: /type/0 must be equal to one of the allowed values'],
    ],
    [
      'an unknown check',
      messagesOfCheck({ type: 'evidnce' }),
      [
        'E07 tasks.t.checks[0].type must be one of schema, evidence, equals, contains, not-contains, regex, range, count, got "evidnce" (string). Did you mean "evidence"?',
      ],
    ],
    [
      'a check that is a text',
      messagesOfTask({ checks: ['schema'] }),
      ['E07 tasks.t.checks[0] must be an object with "type", got "schema" (string)'],
    ],
    [
      'an invalid pointer',
      messagesOfCheck({ type: 'evidence', at: 'findings/*' }),
      ['E07 tasks.t.checks[0].at must be a JSON pointer such as "/findings/*/quote", got "findings/*" (string)'],
    ],
    [
      'an invalid escape in a pointer',
      messagesOfCheck({ type: 'equals', at: '/a~2', value: 1 }),
      ['E07 tasks.t.checks[0].at must be a JSON pointer such as "/findings/*/quote", got "/a~2" (string)'],
    ],
    [
      'an invalid pattern',
      messagesOfCheck({ type: 'regex', pattern: '(' }),
      ['E07 tasks.t.checks[0].pattern cannot be used: Invalid regular expression: /(/: Unterminated group'],
    ],
    [
      'a flag that keeps state',
      messagesOfCheck({ type: 'regex', pattern: 'x', flags: 'g' }),
      ['E07 tasks.t.checks[0].flags must be flags out of "imsuv", each once, got "g" (string)'],
    ],
    ['a count without bounds', messagesOfCheck({ type: 'count' }), ['E07 tasks.t.checks[0] needs "min" or "max"']],
    ['a range upside down', messagesOfCheck({ type: 'range', min: 3, max: 1 }), ['E07 tasks.t.checks[0].min is greater than "max": 3 > 1']],
    ['equals null', messagesOfCheck({ type: 'equals', value: null }), []],
    ['equals without value', messagesOfCheck({ type: 'equals' }), ['E07 tasks.t.checks[0].value is missing: it must be a JSON value']],
    [
      'two checks of one id',
      messagesOfTask({
        checks: [
          { type: 'count', max: 1, id: 'a' },
          { type: 'equals', value: 1, id: 'a' },
        ],
      }),
      ['E07 tasks.t.checks[1].id repeats that of checks[0]'],
    ],
    [
      'a matrix rule for everything',
      messagesWith({ matrix: { exclude: [{}] } }),
      ['E07 matrix.exclude[0] needs "document", "task" or "model"'],
    ],
    [
      'a beat as long as the lease',
      messagesWith({ lease: { ttlMs: 1000, beatMs: 600 } }),
      ['E07 lease.beatMs must be at most half of ttlMs (1000), got 600'],
    ],
    ['a pass rate in per cent', messagesWith({ gate: { minPassRate: 80 } }), ['E07 gate.minPassRate must be a number 0–1, got 80']],
    [
      'an unknown word',
      messagesWith({ cache: { mode: 'readwrite' } }),
      ['E07 cache.mode must be "read-write", "read", "refresh" or "off", got "readwrite" (string). Did you mean "read-write"?'],
    ],
    ['null', messagesWith({ concurrency: null }), ['E07 concurrency must be an integer 1–1000, got null']],
  ];

  test.each(table)('%s', (_, messages, expected) => {
    expect(messages).toEqual(expected);
  });
});

test('the smallest manifest gets every default', () => {
  expect(parseManifest(JSON.stringify(MINIMAL), 'manifest.json')).toEqual({
    ok: true,
    manifest: {
      version: 1,
      documents: ['specs/*.md'],
      providers: {},
      models: {
        fast: {
          provider: 'openai',
          model: 'gpt-5-mini',
          params: {},
          structuredOutput: 'auto',
          timeouts: { connectMs: 10_000, firstTokenMs: 120_000, idleMs: 60_000, totalMs: 600_000 },
        },
      },
      tasks: {
        ambiguity: {
          prompt: '{{document}}\nFind faults.',
          vars: {},
          output: { format: 'json', strict: true, reask: 1 },
          checks: [],
          repeats: 1,
          aggregate: 'majority',
          priority: 0,
        },
      },
      matrix: { exclude: [], only: [] },
      concurrency: 8,
      retry: { attempts: 3, lostLeases: 3, maxWaitMs: 120_000 },
      lease: { ttlMs: 60_000, beatMs: 15_000, deadlineMs: 1_800_000 },
      cache: { mode: 'read-write' },
      gate: { minPassRate: 1, maxErrorRate: 0 },
      artifacts: 'all',
      outputs: [],
      privacy: { evidence: 'quote' },
      maxJobs: 10_000,
    },
  });
});

test('the sample is accepted, the same in every syntax', () => {
  const results = ['m.json', 'm.jsonc', 'm.yaml'].map((name) => parseManifest(SAMPLE, name));
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

describe('whatever the text', () => {
  const names = fc.constantFrom('m.json', 'm.jsonc', 'm.yaml');
  const isAnswered = (text: string, name: string): void => {
    const parsed = parseManifest(text, name);
    if (parsed.ok) return;
    expect(parsed.problems.length).toBeGreaterThan(0);
    for (const { line, column, message } of parsed.problems) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBeGreaterThan(0);
      expect(message.startsWith(`${name}:${line}:${column}: `)).toBe(true);
    }
  };

  test('random characters are a problem, never a throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), names, isAnswered), { numRuns: 200 });
  });

  test('a manifest with a piece of its text cut out is a problem, never a throw', () => {
    const cut = fc
      .tuple(fc.nat(SAMPLE.length), fc.nat(30), fc.string({ maxLength: 3 }))
      .map(([at, length, junk]) => SAMPLE.slice(0, at) + junk + SAMPLE.slice(at + length));
    fc.assert(fc.property(cut, names, isAnswered), { numRuns: 150 });
  });

  test('a manifest with any value anywhere is answered, never a throw', () => {
    const places = placesIn(JSON.parse(SAMPLE));
    const mutant = fc
      .tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }))
      .map(([place, value]) => JSON.stringify(replaced(JSON.parse(SAMPLE), place, value)));
    fc.assert(fc.property(mutant, fc.constant('m.json'), isAnswered), { numRuns: 200 });
  });
});

type Place = readonly string[];

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, child]) => placesIn(child).map((place) => [key, ...place]))];
}

function replaced(value: unknown, [key, ...rest]: Place, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? replaced(item, rest, replacement) : item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === key ? replaced(item, rest, replacement) : item]));
}
