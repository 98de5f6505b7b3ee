import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aieval, type Ended } from '../binary.ts';

const PRICE = { inputPerMTok: 1000, outputPerMTok: 10_000 };
const MODEL = { provider: 'sim', model: 'm', price: PRICE, params: { maxOutputTokens: 1000 } };

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-plan-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ended> => aieval(args, { cwd: dir });

function write(name: string, text: string): void {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** One task over documents of different texts, asked of models that answer by themselves. */
function writeManifest(more: object = {}, documents = 2): void {
  for (let index = 1; index <= documents; index += 1)
    write(`docs/${index}.md`, `# Part ${index}\n\nThe pump shall stop within ${index} s.\n`);
  const manifest = {
    version: 1,
    name: 'pumps',
    documents: ['docs/*.md'],
    providers: { sim: { type: 'simulated' } },
    models: { fast: MODEL },
    tasks: { claims: { prompt: '{{document}}\n\nList the claims.', checks: [] } },
    ...more,
  };
  write('manifest.json', JSON.stringify(manifest));
}

type PlanJson = {
  readonly jobs: object;
  readonly calls: object;
  readonly tokens: { readonly input: number; readonly output: number | null; readonly maxOutput: number | null };
  readonly cost: { readonly expectedUsd: number | null; readonly worstCaseUsd: number | null };
  readonly budget: readonly { readonly bound: string; readonly limit: number; readonly used: number; readonly expected: number | null }[];
  readonly models: readonly { readonly model: string; readonly outputBasis: string | null; readonly price: unknown }[];
  readonly warnings: readonly string[];
};

async function planned(...args: string[]): Promise<PlanJson> {
  const { stdout } = await run('plan', 'manifest.json', '--json', ...args);
  const plan: PlanJson = JSON.parse(stdout);
  return plan;
}

/** Numbers of tokens and money differ with the tokenizer; what is asked here is where they stand. */
function shape(line: string | undefined): string {
  return (line ?? '').replace(/\$?\d+(?:\.\d+)?[kM]?/g, '#').replace(/ +/g, ' ');
}

describe('plan', () => {
  test('shows what is expected and what one try of each call costs at most, for each model and in all, and leaves nothing behind', async () => {
    writeManifest({ models: { fast: MODEL, own: { ...MODEL, model: 'n', price: 'free' } } });
    const { exitCode, stdout, stderr } = await run('plan', 'manifest.json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n').map(shape)).toEqual([
      expect.stringMatching(/^manifest\.json → # documents, # jobs: # cached, # cannot be asked, # to run$/),
      'MODEL JOBS CACHED TO RUN TOKENS IN OUT OUT MAX COST AT MOST',
      'fast # # # # # # # #',
      'own # # # # # # # #',
      'total # # # # # # # #',
      'time: unknown, no call of "fast", "own" was timed yet',
      'prices: manifest (fast); free (own)',
      'length of answers: half of maxOutputTokens (fast, own)',
      "tokens: counted as OpenAI's models count them; AT MOST: one try of each call; retries and re-asks come on top",
      'next: aieval run manifest.json',
      '',
    ]);
    expect(existsSync(join(dir, '.aieval'))).toBe(false);
  });

  test('says unknown, never nothing, where a price is unknown', async () => {
    writeManifest({ models: { fast: MODEL, dark: { provider: 'sim', model: 'x' } } });
    const { stdout } = await run('plan', 'manifest.json');
    expect(stdout).toMatch(/^dark .* unknown +unknown$/m);
    expect(stdout).toMatch(/^total .* unknown +unknown$/m);
    const plan = await planned();
    expect(plan.cost).toEqual({ expectedUsd: null, worstCaseUsd: null });
    expect(plan.models).toMatchObject([
      { model: 'fast', expectedUsd: expect.any(Number) },
      { model: 'dark', expectedUsd: null, price: null },
    ]);
  });

  test('gives the cost to scripts in USD', async () => {
    writeManifest();
    const { tokens, cost, models } = await planned();
    expect(tokens).toMatchObject({ output: 1000, maxOutput: 2000 });
    expect(cost.expectedUsd).toBeCloseTo((tokens.input * 1000 + 1000 * 10_000) / 1e6, 9);
    expect(cost.worstCaseUsd ?? 0).toBeGreaterThanOrEqual((tokens.input * 1000 + 2000 * 10_000) / 1e6);
    expect(models).toMatchObject([{ outputBasis: 'half', price: PRICE }]);
  });

  test('exits 6 when more is expected than the budget, and shows the plan all the same', async () => {
    writeManifest({ budget: { usd: 1 } });
    const { exitCode, stdout, stderr } = await run('plan', 'manifest.json');
    expect(exitCode).toBe(6);
    expect(shape(stdout.split('\n')[3])).toBe('budget # is too little: # used, # expected, # at most');
    expect(stdout).not.toContain('next:');
    expect(stderr).toMatch(
      /^error\[E19\]: expected cost \$10\.\d\d exceeds the budget of \$1\.00 \(manifest\.json:1:\d+\)\nnext: aieval run manifest\.json --max-cost 21\n$/,
    );
  });

  test('takes --max-cost in place of the budget, and warns where one try of each call may cost more', async () => {
    writeManifest({ budget: { usd: 1 } });
    const { exitCode, stdout } = await run('plan', 'manifest.json', '--max-cost', '15');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^warning: one try of each call costs at most \$20\.\d\d, more than the budget of \$15\.00 \(--max-cost\): the run may stop before it is done$/m,
    );
    expect((await run('plan', 'manifest.json', '--max-cost', '30')).stdout).not.toContain('warning:');
  });

  test('exits 6 when more tokens are expected than may be used', async () => {
    writeManifest({ budget: { tokens: 500 } });
    const { exitCode, stderr } = await run('plan', 'manifest.json');
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(
      /^error\[E19\]: expected use 1\.\dk tokens exceeds the budget of 500 tokens \((manifest\.json:1:\d+)\)\nnext: raise budget\.tokens \(\1\)\n/,
    );
  });

  test('asks for a price before it takes --max-cost', async () => {
    writeManifest({ models: { dark: { provider: 'sim', model: 'x', params: { maxOutputTokens: 10 } } } });
    const { exitCode, stdout, stderr } = await run('plan', 'manifest.json', '--max-cost', '5');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('price of model "dark" unknown, so --max-cost cannot be enforced');
  });

  test('says once what is too long for a limit, and what to change, before it sends anybody on', async () => {
    const providers = { sim: { type: 'simulated', limits: { tokensPerMinute: 100 } } };
    writeManifest({ providers }, 3);
    const { exitCode, stdout } = await run('plan', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(
      /^warning: 3 jobs cannot be asked \(input_too_long\), e\.g\. docs\/1\.md:claims:fast: about 10\d\d tokens with the answer, more than tokensPerMinute = 100 of provider "sim"$/m,
    );
    expect(stdout.match(/^(?:warning|next): .*$/gm)?.slice(1)).toEqual([
      'warning: this run will be INCOMPLETE: 3 of 3 results cannot be evaluated (gate.maxErrorRate 0)',
      'next: in the manifest, raise providers.sim.limits.tokensPerMinute or lower models.fast.params.maxOutputTokens, or set tasks.claims.chunk so that it is asked in parts',
    ]);
    const { stderr } = await run('run', 'manifest.json');
    expect(stderr).toContain('or set tasks.claims.chunk so that it is asked in parts, then: aieval run manifest.json\n');
    const retried = await run('retry');
    expect(retried.stderr).toMatch(/^nothing to ask again: what r-\w+ could not evaluate cannot be asked \(3× input_too_long\)$/m);
    expect(retried.stderr).toMatch(/^next: make what is too long fit, then: aieval run manifest\.json\n$/m);
  });

  test('shows how many calls the parts of documents take, and of which jobs', async () => {
    const section = (index: number) => `## ${index}\n\n${'The pump shall stop within a second, and say so. '.repeat(40)}\n\n`;
    const rule = { chunk: { maxTokens: 600 }, merge: { reduce: 'Sum up: {{answers}}' } };
    writeManifest(
      { tasks: { claims: { prompt: '{{document}}\n\nList the claims.', checks: [], output: { format: 'text' }, ...rule } } },
      1,
    );
    write('docs/long.md', `# Pumps\n\n${[1, 2, 3].map(section).join('')}`);
    const { stdout, stderr } = await run('plan', 'manifest.json', '--list');
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'FATE\tJOB\tID\tCALLS\tNOTE',
      expect.stringMatching(/^to run\tdocs\/1\.md:claims:fast\t[a-z2-7]{26}\t1\t$/),
      expect.stringMatching(/^to run\tdocs\/long\.md:claims:fast\t[a-z2-7]{26}\t4\t3 parts \+ reduce$/),
      '',
    ]);
    expect((await run('plan', 'manifest.json')).stdout).toContain(
      'manifest.json → 2 documents, 2 jobs: 0 cached, 0 cannot be asked, 2 to run in 5 calls\n',
    );
    expect(await planned()).toMatchObject({ jobs: { total: 2 }, calls: { total: 5, toRun: 5 }, tokens: { output: 2500 } });
    expect((await run('run', 'manifest.json')).exitCode).toBe(0);
    expect((await run('plan', 'manifest.json')).stdout).toContain(
      'manifest.json → 2 documents, 2 jobs: 2 cached, 0 cannot be asked, 0 to run\n',
    );
    expect(await planned()).toMatchObject({
      jobs: { cached: 2, toRun: 0 },
      calls: { toRun: 0 },
      cost: { expectedUsd: 0, worstCaseUsd: 0 },
    });
  });

  test('sends nobody to a run that can ask nothing', async () => {
    writeManifest({ documents: ['docs/empty.md'] }, 0);
    write('docs/empty.md', '');
    const { exitCode, stdout } = await run('plan', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^next: /m);
    expect(stdout).not.toContain('next: aieval run');
  });

  test('takes only the documents of the sample', async () => {
    writeManifest({ sample: { fraction: 0.25 } }, 8);
    const { stdout } = await run('plan', 'manifest.json');
    expect(stdout).toMatch(/ → 2 documents \(sample of 8\), 2 jobs: /);
    expect((await run('plan', 'manifest.json', '--list')).stdout.match(/^to run\t/gm)).toHaveLength(2);
  });

  test('warns of a price that was looked up long ago', async () => {
    writeManifest({ models: { fast: { ...MODEL, price: { ...PRICE, asOf: '2020-02-01' } } } });
    const { stdout } = await run('plan', 'manifest.json');
    expect(stdout).toContain(
      'warning: the price of model "fast" is of 2020-02-01: check it, and state models.fast.price in the manifest\n',
    );
  });
});

describe('plan after a run', () => {
  test('expects answers as long as they were, and nothing for what is known', async () => {
    writeManifest();
    expect((await run('run', 'manifest.json')).exitCode).toBe(0);
    expect(await planned()).toMatchObject({ jobs: { total: 2, cached: 2, toRun: 0 }, cost: { expectedUsd: 0, worstCaseUsd: 0 } });
    writeManifest({}, 3);
    const { jobs, tokens, models } = await planned();
    expect({ jobs, models }).toMatchObject({ jobs: { total: 3, cached: 2, toRun: 1 }, models: [{ outputBasis: 'measured' }] });
    expect(tokens.output).toBeGreaterThan(0);
    expect(tokens.output).toBeLessThan(500);
  });

  test('takes no known answer with --no-cache, and says how long earlier calls took', async () => {
    writeManifest();
    await run('run', 'manifest.json');
    const plan = await planned('--no-cache', '--concurrency', '1');
    expect(plan).toMatchObject({ jobs: { total: 2, cached: 0, toRun: 2 }, time: { seconds: expect.any(Number), untimed: [] } });
    const { stdout } = await run('plan', 'manifest.json', '--no-cache');
    expect(stdout).toMatch(/^time: (?:about .+|less than a second) \(fast: 2 × [\d.]+ s ÷ 2\)$/m);
    expect(stdout).toMatch(/^next: aieval run manifest\.json --no-cache$/m);
  });

  test('counts what the group of the budget used already', async () => {
    writeManifest({ budget: { group: { name: 'team', usd: 1000 } } });
    expect((await run('run', 'manifest.json')).exitCode).toBe(0);
    const [group] = (await planned()).budget;
    expect(group).toMatchObject({ bound: 'group', limit: 1000 });
    expect(group?.used).toBeGreaterThan(0);
    writeManifest({ budget: { group: { name: 'team', usd: group?.used ?? 0 } } }, 3);
    const { exitCode, stderr } = await run('plan', 'manifest.json');
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(
      /exceeds the \$[\d.]+ of budget group "team" \((manifest\.json:1:\d+)\), of which \$[\d.]+ is used already\nnext: raise budget\.group\.usd \(\1\)\nnext: aieval budget reset team\n/,
    );
  });
});

describe('plan of some jobs', () => {
  test('says what is selected, and sends to the run of the same', async () => {
    writeManifest({}, 4);
    const { stdout } = await run('plan', 'manifest.json', '--document', 'docs/[2-4].md', '--first', '2');
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'manifest.json → 2 documents, 2 jobs: 0 cached, 0 cannot be asked, 2 to run',
      "2 of 4 jobs selected: --document 'docs/[2-4].md' --first 2",
    ]);
    expect(stdout).toMatch(/^next: aieval run manifest\.json --document 'docs\/\[2-4\]\.md' --first 2$/m);
    expect(await planned('--first', '3')).toMatchObject({ jobs: { total: 3 }, selection: { document: [], first: 3, jobs: 3, allJobs: 4 } });
    expect(await planned()).toMatchObject({ selection: null });
  });

  test('of which the budget would do for fewer names these', async () => {
    writeManifest({ budget: { usd: 12 } }, 4);
    const { exitCode, stderr } = await run('plan', 'manifest.json', '--task', 'claims');
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(
      /^next: aieval run manifest\.json --task claims --max-cost \d+\nnext: aieval run manifest\.json --task claims --first 2$/m,
    );
  });

  test('gives the list to scripts', async () => {
    writeManifest();
    const plan: { list: object[] } = JSON.parse((await run('plan', 'manifest.json', '--json', '--list')).stdout);
    const job = {
      jobId: expect.any(String),
      task: 'claims',
      model: 'fast',
      repeat: 0,
      fate: 'to_run',
      reason: null,
      calls: { total: 1, toRun: 1 },
    };
    expect(plan.list).toEqual([
      { ...job, document: 'docs/1.md' },
      { ...job, document: 'docs/2.md' },
    ]);
  });
});

describe('plan --why', () => {
  const NAME = 'docs/1.md:claims:fast';
  const why = async (...args: string[]): Promise<string[]> =>
    (await run('plan', 'manifest.json', '--why', ...args)).stdout.split('\n').slice(0, -1);

  test('says that nothing like it is stored, before the first run', async () => {
    writeManifest();
    expect(await why(NAME)).toEqual([
      expect.stringMatching(/^docs\/1\.md:claims:fast \([a-z2-7]{8}\) would be asked: 1 call$/),
      'no answer to a question like it is stored',
      'next: aieval run manifest.json',
    ]);
  });

  test('says who paid for a known answer, when, and how much', async () => {
    writeManifest();
    await run('run', 'manifest.json');
    expect(await why(NAME)).toEqual([
      expect.stringMatching(/ is known and would be served for nothing$/),
      expect.stringMatching(/^answer of r-\w+, job [a-z2-7]{8}, stored \d{4}-\d\d-\d\d \d\d:\d\d for \$\d+\.\d+$/),
      'next: aieval run manifest.json',
    ]);
    expect(await why(NAME, '--no-cache')).toEqual([
      expect.stringMatching(/ would be asked: 1 call$/),
      'what is known of it is not used (cache.mode = off)',
      'next: aieval run manifest.json --no-cache',
    ]);
  });

  test('names each part of the key that is not that of the nearest stored answer', async () => {
    writeManifest();
    await run('run', 'manifest.json');
    const listed = (await run('plan', 'manifest.json', '--list')).stdout;
    const oldId = /docs\/1\.md:claims:fast\t([a-z2-7]{8})/.exec(listed)?.[1] ?? '';
    writeManifest({
      models: { fast: { ...MODEL, model: 'n', params: { maxOutputTokens: 900 } } },
      tasks: { claims: { prompt: '{{document}}\n\nList all claims.', checks: [] } },
      cache: { namespace: 'other' },
    });
    write('docs/1.md', '# Part 1\n\nThe pump must stop within 1 s.\n');
    // The id of before, as a summary shows it.
    const lines = await why(oldId);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^nearest stored answer: of r-\w+, job [a-z2-7]{8}, stored /),
      'not the same as there:',
      '  document                line 3: "The pump shall stop within 1 s." → "The pump must stop within 1 s."',
      '  prompt                  line 3: "List the claims." → "List all claims."',
      '  cache.namespace         (none) → "other"',
      '  model                   "m" → "n"',
      '  params.maxOutputTokens  1000 → 900',
      'next: aieval run manifest.json',
    ]);
    const { stdout } = await run('plan', 'manifest.json', '--why', NAME, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      job: { document: 'docs/1.md', task: 'claims', model: 'fast', repeat: 0 },
      fate: 'to_run',
      steps: [{ state: 'unknown', answer: null, nearest: { texts: [{ what: 'document', at: { line: 3 } }, { what: 'prompt' }] } }],
    });
  });

  test('says when an answer is too old', async () => {
    writeManifest();
    await run('run', 'manifest.json');
    writeManifest({ cache: { ttlDays: 0.000_000_01 } });
    expect((await why(NAME))[1]).toMatch(/^its answer is too old \(cache\.ttlDays = 1e-8\): of r-/);
  });

  test('names the closest jobs for one that is not planned', async () => {
    writeManifest();
    const { exitCode, stderr } = await run('plan', 'manifest.json', '--why', 'docs/1.md:claim:fast');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^error\[E32\]: the plan has no job "docs\/1\.md:claim:fast"\. Closest: docs\/1\.md:claims:fast, docs\/2\.md:claims:fast\nnext: aieval plan manifest\.json --why docs\/1\.md:claims:fast\n$/,
    );
  });
});

describe('validate', () => {
  test('says below the problems what to do about them', async () => {
    writeManifest({ models: { dark: { provider: 'sim', model: 'x' } }, budget: { usd: 5 } });
    const { exitCode, stderr } = await run('validate', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr.split('\n').slice(1)).toEqual([
      expect.stringMatching(/longest answer of model "dark" unknown \(params\.maxOutputTokens\), so budget\.usd cannot be enforced$/),
      '2 problems',
      'next: state models.dark.price in the manifest; "free" for a server of your own',
      'next: state models.dark.params.maxOutputTokens in the manifest',
      '',
    ]);
  });
});

describe('run', () => {
  test('is refused, and spends nothing, when --max-cost cannot be enforced', async () => {
    writeManifest({ models: { dark: { provider: 'sim', model: 'x', params: { maxOutputTokens: 10 } } } });
    const { exitCode, stderr } = await run('run', 'manifest.json', '--max-cost', '5');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error[E19]: manifest.json:1:');
    expect(existsSync(join(dir, '.aieval'))).toBe(false);
  });

  test('warns, and starts, when more is expected than the budget', async () => {
    writeManifest();
    const { stderr } = await run('run', 'manifest.json', '--max-cost', '1');
    expect(stderr).toMatch(/expected cost \$10\.\d\d exceeds the budget of \$1\.00/);
    const { stdout } = await run('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ jobs: { total: 2 }, cost: { budgetUsd: 1 } });
  });
});
