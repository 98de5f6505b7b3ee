import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PDFDocument from 'pdfkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { painter } from '../../src/cli/terminal/style.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import { aieval, ended, start } from './binary.ts';
import { DANGEROUS } from './display/sample-events.ts';

const SPEC = `# Server

## Retry

The server MAY retry a request at most 3 times, unless the operator has told it to stop.

## Costs

Many deployed systems are likely to be at risk. Their owners live far away. Repairs take several days. The secret MUST NOT be empty.

| name | value |
|---|---|
| limit | 1023 |
`;

let dir = '';
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-documents-'));
  writeFileSync(join(dir, 'spec.md'), SPEC);
  writeFileSync(join(dir, 'empty.md'), ' \n');
  writeFileSync(join(dir, 'hostile.txt'), 'A line \u001b]0;title\u0007 and ##vso[task.complete]x\n::error::y\n');
  writeFileSync(join(dir, 'locked.pdf'), await lockedPdf());
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function lockedPdf(): Promise<Buffer> {
  const pdf = new PDFDocument({ userPassword: 'open sesame' });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  pdf.text('The treasure lies under the third tree from the left.').addPage().text('It is guarded.').end();
  return new Promise((resolve) => pdf.on('end', () => resolve(Buffer.concat(chunks))));
}

const run = (...args: string[]) => aieval(args, { cwd: dir });

describe('extract', () => {
  test('gives a pipe the very text and tells on stderr what is known of it, with no database', async () => {
    const { exitCode, stdout, stderr } = await run('extract', 'spec.md');
    expect(exitCode).toBe(0);
    const record = JSON.parse((await run('extract', 'spec.md', '--json')).stdout);
    expect(sha256Hex(stdout)).toBe(record.textSha256);
    expect(stdout).toContain('| limit | 1023 |');
    expect(stderr).toMatch(/^spec\.md\n {2}format {6}markdown, read by \S+norm:\d+\n/);
    expect(stderr).toMatch(/\n {2}sections {4}3: Server > Retry, Costs\n {2}text {8}\d+ characters, about \d+ tokens · sha256 /);
    expect(await run('extract', 'spec.md', '-q')).toMatchObject({ stdout, stderr: '' });
  });

  test('--json has the hashes, and sections whose offsets are those of the text', async () => {
    const { stdout: text } = await run('extract', 'spec.md');
    const { stdout, stderr } = await run('extract', 'spec.md', '--json');
    expect(stderr).toBe('');
    const record: { sections: { title: string; start: number }[] } = JSON.parse(stdout);
    expect(record).toMatchObject({
      ...{ v: 1, file: 'spec.md', format: 'markdown', bytesSha256: sha256Hex(SPEC), textSha256: sha256Hex(text) },
      ...{ characters: text.length, pages: [], lostPages: [], warnings: [] },
    });
    for (const { title, start } of record.sections) expect(text.slice(start)).toMatch(new RegExp(`^#* ?${title}\n`));
    expect(record).not.toHaveProperty('chunks');
  });

  test('--sections lists them with their lines, --chunks the parts in which it would be asked', async () => {
    expect((await run('extract', 'spec.md', '--sections')).stdout).toMatch(
      /^LINE +CHARACTERS +SECTION\n1 +0–\d+ +Server\n3 +\d+–\d+ +· Retry\n7 +\d+–\d+ +· Costs\n$/,
    );
    const small = ['extract', 'spec.md', '--chunks', '--max-tokens', '40', '--overlap', '5'];
    expect((await run(...small)).stdout).toMatch(/^PART +TOKENS +CHARACTERS +NEW FROM +HEADINGS\n1\/\d +\d+ +0–\d+ +Server/);
    const { chunks, characters }: { chunks: { start: number; ownStart: number; end: number }[]; characters: number } = JSON.parse(
      (await run(...small, '--json')).stdout,
    );
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map(({ ownStart }) => ownStart)).toEqual([0, ...chunks.slice(0, -1).map(({ end }) => end)]);
    expect(chunks.at(-1)?.end).toBe(characters);
    expect((await run('extract', 'spec.md', '--chunks', '--sections')).exitCode).toBe(2);
  });

  test('of a document without usable text says why, what to do, and exits 2', async () => {
    expect(await run('extract', 'empty.md')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error\[E17\]: empty\.md: document_empty: /),
    });
    expect(await run('extract', 'nothing.md')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error\[E01\]: nothing\.md: /),
    });
    const locked = await run('extract', 'locked.pdf', '--json');
    expect(locked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(locked.stderr).toMatch(
      /document_encrypted.*\nnext: add --password-env NAME, with its password in the environment variable NAME\n/,
    );
    expect(locked.stderr).not.toContain('manifest');
    const quoted = await run('quote', 'locked.pdf', 'under the third tree');
    expect(quoted.stderr).toMatch(/: encrypted PDF: it needs a password\nnext: add --password-env NAME, /);
    const plain = await run('extract', 'spec.md', '--format', 'pdf');
    expect(plain).toMatchObject({
      exitCode: 2,
      stderr: 'error[E17]: spec.md: document_broken: this is no PDF (it does not begin with %PDF-)\nnext: leave its format out\n',
    });
    expect(JSON.parse(locked.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ event: 'error', code: 'E17', exitCode: 2 });
  });

  test('--password-env opens an encrypted file; a variable that is not set is said before the file is read', async () => {
    const opened = await aieval(['extract', 'locked.pdf', '--password-env', 'PW', '--json'], { cwd: dir, env: { PW: 'open sesame' } });
    expect(JSON.parse(opened.stdout)).toMatchObject({ format: 'pdf', pages: [{ number: 1 }, { number: 2 }] });
    const refused = 'encrypted PDF: the password in PW does not open it\nnext: put its password into PW\n';
    const wrong = { cwd: dir, env: { PW: 'sesame' } };
    expect((await aieval(['extract', 'locked.pdf', '--password-env', 'PW'], wrong)).stderr).toContain(refused);
    const piped = start(['extract', '-', '--password-env', 'PW'], { ...wrong, stdin: await lockedPdf() });
    expect((await ended(piped)).stderr).toContain(refused);
    expect(await run('extract', 'locked.pdf', '--password-env', 'PW')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error\[E05\]: --password-env names PW, which is not set\n/),
    });
  });

  test('reads stdin too', async () => {
    const { exitCode, stdout } = await ended(start(['extract', '-', '--json'], { cwd: dir, stdin: SPEC }));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: '-', bytesSha256: sha256Hex(SPEC), characters: expect.any(Number) });
    const quoted = await ended(start(['quote', '-', 'Repairs take several days.'], { cwd: dir, stdin: SPEC }));
    expect(quoted).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^VERIFIED /) });
    expect((await run('quote', '-', '-')).exitCode).toBe(2);
  });

  test('wrong options are refused before anything is read', async () => {
    for (const args of [
      ['--max-tokens', '0'],
      ['--by', 'page'],
      ['--format', 'word'],
      ['--overlap', '-1'],
      ['--max-tokens', '1000'],
      ['--by', 'tokens', '--sections'],
      ['--overlap', '200'],
      ['--chunks', '--max-tokens', '1000', '--overlap', '251'],
    ]) {
      expect(await run('extract', 'spec.md', ...args)).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect((await run('extract', 'gone.md', '--max-tokens', '1000')).stderr).toBe(
      'error[E00]: --max-tokens says how parts are cut, so it needs --chunks\nnext: aieval extract --help\n',
    );
  });
});

describe('quote', () => {
  const json = async (...args: string[]): Promise<{ exitCode: number | null; record: unknown }> => {
    const { exitCode, stdout } = await run('quote', ...args, '--json');
    return { exitCode, record: JSON.parse(stdout) };
  };

  test('that stands is found with its place and exits 0', async () => {
    const words = 'The server MAY retry a request';
    const { exitCode, record } = await json('spec.md', 'The server MAY  retry a request', '--line', '9');
    expect(exitCode).toBe(0);
    const { stdout: text } = await run('extract', 'spec.md');
    const start = text.indexOf(words);
    expect(record).toMatchObject({
      ...{ v: 1, status: 'verified', tier: 'normalised', reason: null, diff: null, occurrences: 1, text: words },
      ...{ page: null, pageLabel: null, section: 'Retry', line: 5, start, end: start + words.length },
      spans: [{ start, end: start + words.length }],
      ...{ lineClaimed: 9, lineCorrected: true, marks: [] },
    });
  });

  test('that was altered is rejected with the difference and exits 1, one that is near exits 9', async () => {
    const altered = await json('spec.md', 'The secret MUST be empty.');
    expect(altered).toMatchObject({
      exitCode: 1,
      record: { status: 'rejected', reason: 'altered', diff: 'MUST NOT → MUST', section: 'Costs' },
    });
    const near = await json('spec.md', 'Many deployed systms are likely to be at risk.');
    expect(near).toMatchObject({ exitCode: 9, record: { status: 'near', tier: null, text: expect.stringContaining('systems') } });
    const absent = await json('spec.md', 'Payloads are compressed with the DEFLATE algorithm');
    expect(absent).toMatchObject({ exitCode: 1, record: { reason: 'not_found', page: null, start: null, spans: [] } });
    expect(await json('spec.md', '1023')).toMatchObject({ exitCode: 1, record: { reason: 'too_short' } });
    expect(await json('spec.md', '1023', '--min-chars', '0')).toMatchObject({ exitCode: 0, record: { status: 'verified' } });
  });

  test('with an honest ellipsis exits 0 and has a span for each of its parts', async () => {
    const { exitCode, record } = await json('spec.md', 'Many deployed systems are likely to be at risk. … Repairs take several days.');
    expect(exitCode).toBe(0);
    expect(record).toMatchObject({ status: 'elided', spans: [{}, {}], context: expect.stringContaining('Their owners') });
  });

  test('comes from stdin too, in UTF-8 and without the last line end', async () => {
    const child = start(['quote', 'spec.md', '-'], { cwd: dir, stdin: 'Many deployed\nsystems are likely to be at risk.\n' });
    const { exitCode, stdout } = await ended(child);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^VERIFIED {2}normalised · spec\.md\n {2}place {6}§ Costs, line 9 · characters \d+–\d+\n/);
  });

  test('is shown in colour where that is asked for, and never lets the document command the log', async () => {
    const { stdout } = await aieval(['quote', 'hostile.txt', 'A line and ##vso[task.complete]x'], { cwd: dir, env: { FORCE_COLOR: '1' } });
    const paint = painter(true);
    expect(stdout.startsWith(`${paint('green', 'VERIFIED')}  `) || stdout.startsWith(`${paint('red', 'REJECTED')}  `)).toBe(true);
    const codes = ['green', 'red', 'dim'] as const;
    const bare = codes.flatMap((colour) => paint(colour, '|').split('|')).reduce((text, code) => text.replaceAll(code, ''), stdout);
    for (const line of bare.split('\n')) {
      expect(line).not.toMatch(DANGEROUS);
      expect(line).not.toMatch(/##\w*\[|^\s*::error::/);
    }
  });
});

describe('a manifest whose password variable is not set', () => {
  const entry = { path: 'locked.pdf', passwordEnv: 'DOC_PW' };
  const manifest = {
    ...{ version: 1, documents: [entry], providers: { sim: { type: 'simulated' } }, models: { fast: { provider: 'sim', model: 'x' } } },
    tasks: { q: { prompt: '{{document}}', output: { format: 'text' }, checks: [] } },
  };
  const what = 'encrypted PDF: it needs a password, and DOC_PW (passwordEnv) is not set';

  test('is told so by every command, and what to type once', async () => {
    writeFileSync(join(dir, 'locked.json'), JSON.stringify(manifest));
    expect((await run('validate', 'locked.json')).stderr).toBe('warning: DOC_PW, which "passwordEnv" names for locked.pdf, is not set\n');
    const plan = (await run('plan', 'locked.json')).stdout;
    expect(plan).toContain(`warning: locked.pdf: document_encrypted: ${what}\n  next: export DOC_PW=…\n`);
    const { stderr } = await run('run', 'locked.json');
    expect(stderr).toMatch(/\n {2}1× document_encrypted .*\n {6}→ export DOC_PW=…, then: aieval run locked\.json\n/);
    expect(stderr.match(/export DOC_PW/g)).toHaveLength(1);
    expect((await run('show', 'locked.pdf:q:fast')).stdout).toContain(` document_encrypted: ${what}\n next: export DOC_PW=…\n`);
    expect((await run('retry', '--reason', 'document_encrypted')).stderr).toMatch(
      /cannot be asked \(1× document_encrypted\)\nnext: set DOC_PW \(passwordEnv\), then: aieval run locked\.json\n$/,
    );
    const env = { DOC_PW: 'open sesame' };
    expect(await aieval(['validate', 'locked.json'], { cwd: dir, env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await aieval(['run', 'locked.json'], { cwd: dir, env })).toMatchObject({ exitCode: 0 });
  });
});
