import { afterEach, describe, expect, test } from 'vitest';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, lastRecord, manifest, type Project, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function place(count: number): Promise<{ readonly server: ScriptedServer; readonly folder: Project }> {
  const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  undo.push(server.close);
  const folder = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(count) } });
  undo.push(folder.remove);
  return { server, folder };
}

type Started = { readonly run: string; readonly jobs: number; readonly selection: unknown; readonly since: unknown };

function startOf(stdout: string): Started {
  const line = stdout.split('\n').find((each) => each.includes('"event":"run.started"'));
  return JSON.parse(line ?? '{}');
}

describe('a run of some jobs', () => {
  test('is a run of its own, says so, and gives its answers to the whole run', async () => {
    const { server, folder } = await place(4);
    const some = await folder.aieval('run', 'manifest.json', '--document', 'docs/0[2-4].md', '--first', '2', '--json');
    expect(some.exitCode).toBe(0);
    expect(startOf(some.stdout)).toMatchObject({
      jobs: 2,
      selection: { document: ['docs/0[2-4].md'], task: [], model: [], first: 2, allJobs: 4 },
      since: null,
    });
    expect(server.requests.map(({ prompt }) => /Part \d+/.exec(prompt)?.[0]).sort()).toEqual(['Part 02', 'Part 03']);
    const whole = await folder.aieval('run', 'manifest.json', '--json');
    const first = startOf(some.stdout).run;
    expect(startOf(whole.stdout)).toMatchObject({ jobs: 4, selection: null, since: { run: first, changes: ['selection'], reused: 2 } });
    expect(whole.stderr).toMatch(
      new RegExp(
        `^note: ${first} was a part of the manifest \\(--document 'docs/0\\[2-4\\]\\.md' --first 2\\), r-\\w+ is the whole, and reuses 2 of 4 answers$`,
        'm',
      ),
    );
    expect(lastRecord(whole.stdout)).toMatchObject({ calls: 2, cacheHits: 2, jobs: { total: 4 } });
    expect(server.requests).toHaveLength(4);
  });

  test('is told as a part wherever its verdict stands', async () => {
    const { folder } = await place(3);
    const { stderr } = await folder.aieval('run', 'manifest.json', '--first', '1');
    expect(stderr).toMatch(/^PASS of a part {2}r-\w+ · 1 of 3 jobs \(--first 1\) · 1 result \(1 pass, 0 fail\)$/m);
    expect(stderr).toMatch(/ run r-\w+ PASS exit=0 jobs=1 of=3 selected="--first 1" /);
    expect((await folder.aieval('status')).stdout).toMatch(/FINISHED PASS of a part .*\n part: 1 of 3 jobs \(--first 1\)$/m);
    expect((await folder.aieval('status')).stdout).toMatch(/ next: aieval summary r-\w+ · the whole: aieval run manifest\.json\n/);
    const selection = { options: '--first 1', jobs: 1, of: 3 };
    expect(lastRecord((await folder.aieval('status', '--json')).stdout)).toMatchObject({ run: { selection } });
    const again = await folder.aieval('run', 'manifest.json', '--first', '1', '--json');
    expect(lastRecord(again.stdout)).toMatchObject({ selection, passPercent: 100 });
  });

  test('that is the latest is named by what looks at the latest', async () => {
    const { folder } = await place(3);
    const whole = startOf((await folder.aieval('run', 'manifest.json', '--json')).stdout).run;
    const part = startOf((await folder.aieval('run', 'manifest.json', '--first', '1', '--json')).stdout).run;
    const note = `note: ${part}, the latest run, is a part of its manifest: 1 of 3 jobs (--first 1)\n`;
    expect((await folder.aieval('export', '--format', 'csv')).stderr).toBe(note);
    expect((await folder.aieval('report')).stderr).toBe(note);
    expect((await folder.aieval('export', '--format', 'csv', '-q')).stderr).toBe('');
    expect((await folder.aieval('export', whole, '--format', 'csv')).stderr).toBe('');
    const missing = await folder.aieval('show', 'docs/03.md:quotes:small');
    expect(missing.stderr).toContain(
      `error[E32]: run ${part} has no job "docs/03.md:quotes:small"; it is a part of its manifest: 1 of 3 jobs (--first 1)\n`,
    );
  });

  test('is named in the log of a pipe', async () => {
    const { folder } = await place(2);
    const { stderr } = await folder.aieval('run', 'manifest.json', '--task', 'quotes', '-n', '1');
    expect(stderr).toMatch(/ INFO run r-\w+ name=e2e jobs=1 of=2 selected="--task quotes --first 1" /);
  });

  test('that stops is gone on with by the options that lead to it', async () => {
    const { server, folder } = await place(3);
    const text = manifest(server.baseUrl, { budget: { tokens: 1 } });
    folder.write('manifest.json', text);
    const { exitCode, stderr } = await folder.aieval('run', 'manifest.json', '--first', '2');
    expect(exitCode).toBe(6);
    expect(stderr).toContain('aieval run manifest.json --first 2');
    expect((await folder.aieval('status')).stdout).toContain('aieval run manifest.json --first 2');
  });

  test('reads no other document', async () => {
    const { folder } = await place(2);
    folder.write('docs/broken.md', new Uint8Array([0xff, 0xfe, 0xfd, 0x00, 0x81]));
    const { exitCode, stderr } = await folder.aieval('run', 'manifest.json', '--document', 'docs/01.md');
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('broken');
  });

  test('that would be none is refused, and leaves nothing behind', async () => {
    const { folder, server } = await place(2);
    const { exitCode, stderr } = await folder.aieval('run', 'manifest.json', '--document', 'foo*');
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/^error\[E29\]: 0 of 2 jobs match --document 'foo\*': documents are docs\/0\d\.md, docs\/0\d\.md$/m);
    expect((await folder.aieval('run', 'manifest.json', '--model', 'smal')).exitCode).toBe(2);
    expect((await folder.aieval('run', 'manifest.json', '--max-jobs', '1')).stderr).toContain(
      'error[E27]: the manifest gives 2 jobs, more than --max-jobs 1\n',
    );
    expect(server.requests).toHaveLength(0);
  });
});

describe('a run of a changed manifest', () => {
  test('says what changed, what is reused, and what becomes of the earlier run', async () => {
    const { folder, server } = await place(3);
    await folder.aieval('run', 'manifest.json');
    folder.write('docs/02.md', '# Part 02\n\nDevice 02 shall answer within 5 ms. Soon.\n');
    folder.write('manifest.json', manifest(server.baseUrl, { gate: { minPassRate: 0.5 } }));
    const { stderr } = await folder.aieval('run', 'manifest.json');
    expect(stderr).toMatch(
      /^note\[E23\]: manifest\.json changed since (r-\w+) \(document docs\/02\.md\)\. New run r-\w+ reuses 2 of 3 answers; \1 is closed$/m,
    );
    expect((await folder.aieval('run', 'manifest.json')).stderr).not.toContain('E23');
    expect((await folder.aieval('run', 'manifest.json', '-q', '--first', '1')).stderr).not.toContain('E23');
  });
});
