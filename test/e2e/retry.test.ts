import { afterEach, describe, expect, test, vi } from 'vitest';
import { answerJson, apiError, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { here, hereJson } from './here.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const WRONG = { findings: [{ quote: 'Device 99 shall never answer.' }] };
/** What an answer costs by the manifest of `project.ts`: 100 tokens in, 10 out. */
const ANSWER_USD = 0.00012;

/** Answers with what does not stand in the document until it is mended. */
async function wrongServer(): Promise<ScriptedServer & { readonly mend: () => void }> {
  let wrong = true;
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(wrong ? WRONG : goodAnswer(prompt)) });
  undo.push(server.close);
  const mend = (): void => {
    wrong = false;
  };
  return { ...server, mend };
}

/** Three documents whose answers all fail their check. */
async function failedRun(parts: object = {}): Promise<{ place: Project; server: Awaited<ReturnType<typeof wrongServer>> }> {
  const server = await wrongServer();
  const place = project({ files: { 'manifest.json': manifest(server.baseUrl, parts), ...documents(3) } });
  undo.push(place.remove);
  expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 1 });
  return { place, server };
}

const events = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const budgetOf = async (place: Project): Promise<unknown> => Object((await hereJson(place, 'status')).cost).budgetUsd;

describe('retry --dry-run', () => {
  test('names the jobs, what asking them costs and the command that does it, and changes nothing', async () => {
    const { place, server } = await failedRun();
    const { asOf: _, ...before } = await hereJson(place, 'status');
    const { exitCode, stdout } = await here(place, 'retry', '--failed', '--dry-run', '--max-cost', '1');
    expect(exitCode).toBe(0);
    const [head = '', ...rest] = stdout.trimEnd().split('\n');
    const id = Object(before.run).id;
    expect(head).toMatch(
      new RegExp(`^Would ask 3 jobs of run ${id} again: 3 calls, expected cost \\$0\\.000\\d+, at most \\$0\\.00\\d+, one try each\\.$`),
    );
    expect(rest.slice(0, -1)).toEqual(
      ['01', '02', '03'].map((name) => expect.stringMatching(`^  fail  \\w{8}  docs/${name}\\.md:quotes:small$`)),
    );
    expect(rest.at(-1)).toBe(`next: aieval retry ${id} --failed --max-cost 1`);
    const { asOf: __, ...after } = await hereJson(place, 'status');
    expect(after).toEqual(before);
    expect(server.requests).toHaveLength(3);
  });

  test('with --json its price bounds what the retry then spends, which is told before the first call', async () => {
    const { place, server } = await failedRun();
    const record = lastRecord((await here(place, 'retry', '--failed', '--dry-run', '--json')).stdout);
    expect(record).toMatchObject({ v: 1, dryRun: true, calls: 3, otherJobs: 0, budget: [] });
    expect(record.jobs).toMatchObject(
      ['01', '02', '03'].map((name) => ({ document: `docs/${name}.md`, task: 'quotes', model: 'small', reason: null })),
    );
    const { expectedUsd, worstCaseUsd } = Object(record.cost);
    server.mend();
    const { exitCode, stdout } = await place.aieval('retry', '--failed', '--json');
    expect(exitCode).toBe(0);
    const [planned, ...later] = events(stdout);
    expect(planned).toMatchObject({ event: 'retry.planned', run: record.run, jobs: 3, otherJobs: 0, calls: 3, cost: record.cost });
    expect(later[0]).toMatchObject({ event: 'run.started' });
    const spent = Object(lastRecord(stdout).cost).spentUsd - 3 * ANSWER_USD;
    expect(spent).toBeGreaterThan(0);
    expect(worstCaseUsd).toBeGreaterThanOrEqual(spent);
    expect(worstCaseUsd).toBeGreaterThan(expectedUsd);
  });

  test('counts every part of a document whose answer failed, and only the part that is lost of one that has none', async () => {
    let refuses = true;
    const server = await startScriptedServer({
      respond: ({ prompt }) => (refuses && prompt.includes('Device 7 ') ? apiError(400, { message: 'no' }) : answerJson(WRONG)),
    });
    undo.push(server.close);
    const text = Array.from({ length: 30 }, (_, index) => `## Section ${index}\n\nDevice ${index} shall answer within 5 ms.\n`).join('\n');
    const { tasks, ...base } = JSON.parse(manifest(server.baseUrl));
    const chunk = { maxTokens: 200, overlap: 0, when: 'always' };
    const content = JSON.stringify({ ...base, tasks: { quotes: { ...tasks.quotes, chunk, merge: { array: '/findings' } } } });
    const place = project({ files: { 'manifest.json': content, 'docs/manual.md': text } });
    undo.push(place.remove);
    const dry = async (...args: string[]) => lastRecord((await here(place, 'retry', '--dry-run', '--json', ...args)).stdout);
    expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 3 });
    refuses = false;
    const lost = server.requests.length;
    expect(await dry()).toMatchObject({ jobs: [{ reason: 'bad_request' }] });
    const { calls } = await dry();
    await place.aieval('retry');
    expect(server.requests).toHaveLength(lost + Number(calls));
    const parts = server.requests.length - 1;
    expect(parts).toBeGreaterThan(2);
    expect(await dry('--failed')).toMatchObject({ calls: parts });
    await place.aieval('retry', '--failed');
    expect(server.requests).toHaveLength(2 * parts + 1);
  });

  test('with nothing to ask says so and exits 5', async () => {
    const { place } = await failedRun();
    expect(await here(place, 'retry', '--dlq', '--dry-run')).toMatchObject({ exitCode: 5, stdout: '' });
    const { exitCode, stdout } = await here(place, 'retry', '--dlq', '--dry-run', '--json');
    expect([exitCode, lastRecord(stdout)]).toMatchObject([5, { dryRun: true, jobs: [], calls: 0 }]);
  });
});

describe('retry --max-cost', () => {
  test('is a hard bound of the run from then on: too low it stops the retry with 6, raised the retry goes on', async () => {
    const { place, server } = await failedRun();
    server.mend();
    const low = await place.aieval('retry', '--failed', '--max-cost', String(3 * ANSWER_USD));
    expect(low).toMatchObject({ exitCode: 6 });
    expect(low.stderr).toMatch(/WARN expected cost \$\S+ exceeds the budget of \$0\.00036, of which \$0\.00036 is used already/);
    expect(low.stderr).toContain('stopped: budget reached');
    expect(server.requests).toHaveLength(3);
    expect(await budgetOf(place)).toBe(3 * ANSWER_USD);
    const high = await place.aieval('run', 'manifest.json', '--max-cost', '1');
    expect(high).toMatchObject({ exitCode: 0 });
    expect(server.requests).toHaveLength(6);
    expect(await budgetOf(place)).toBe(1);
  });

  test('lowers the budget that the manifest gave, and keeps its other bounds', async () => {
    const { place, server } = await failedRun({ budget: { usd: 3, tokens: 100_000 } });
    server.mend();
    expect(await place.aieval('retry', '--failed', '--max-cost', '0.5')).toMatchObject({ exitCode: 0 });
    const { budget } = await hereJson(place, 'status');
    expect(budget).toMatchObject({ usd: { limit: 0.5 }, tokens: { limit: 100_000 } });
  });

  test('is refused where no price is known, before anything is asked again', async () => {
    const { place, server } = await failedRun({ models: { small: { provider: 'lab', model: 'small', params: { maxOutputTokens: 100 } } } });
    const { exitCode, stderr } = await place.aieval('retry', '--failed', '--max-cost', '1');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error[E19]: price of model "small" unknown, so --max-cost cannot be enforced');
    expect(stderr).toContain('state models.small.price in the manifest, then: aieval run manifest.json --max-cost 1');
    expect(server.requests).toHaveLength(3);
    expect(await hereJson(place, 'status')).toMatchObject({ run: { state: 'finished' }, jobs: { succeeded: 3 } });
  });

  test('without it an unknown price is said to be unknown', async () => {
    const { place } = await failedRun({ models: { small: { provider: 'lab', model: 'small' } } });
    const { stdout } = await here(place, 'retry', '--failed', '--dry-run');
    expect(stdout).toContain('3 calls, expected cost unknown, at most unknown, one try each.');
  });
});
