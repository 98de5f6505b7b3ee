import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rawPdf } from '../../documents/pdf/raw-pdf.ts';
import { type Project, project } from '../../e2e/project.ts';

const SCAN = rawPdf({ pages: [{ content: '0 0 100 100 re f' }] });

function manifest(documents: readonly unknown[], more: object = {}): string {
  return JSON.stringify({
    version: 1,
    name: 'm',
    documents,
    providers: { sim: { type: 'simulated' } },
    models: { small: { provider: 'sim', model: 'small' } },
    tasks: { ask: { prompt: 'prompt.md', output: { format: 'text' }, checks: [] } },
    ...more,
  });
}

async function locked(userPassword: string): Promise<Uint8Array> {
  const document = new PDFDocument({ userPassword, pdfVersion: '1.7' });
  const chunks: Uint8Array[] = [];
  document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => document.on('end', () => resolve()));
  document.text('The pump shall stop within 5 s.');
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

let folder: Project;
beforeEach(() => {
  folder = project({ files: { 'prompt.md': '{{document}}\n\nWhat?', 'docs/a.md': 'The pump shall stop within 5 s.\n' } });
});
afterEach(() => folder.remove());

const plan = async (...args: string[]): Promise<string> => (await folder.aieval('plan', 'manifest.json', ...args)).stdout;

test('below an encrypted document stand the entry to paste and the variable to set, and they open it', async () => {
  folder.write('docs/secret plan.pdf', await locked('s3cret'));
  folder.write('manifest.json', manifest([{ include: 'docs/*', tags: ['spec'] }]));
  const stdout = await plan();
  const pasted = '{ "path": "docs/secret plan.pdf", "passwordEnv": "SECRET_PLAN_PASSWORD" }';
  expect(stdout).toContain(
    'warning: docs/secret plan.pdf: document_encrypted: encrypted PDF: it needs a password\n' +
      `  next: add this entry to "documents" in the manifest: ${pasted}\n` +
      '  next: export SECRET_PLAN_PASSWORD=…\n' +
      'next: aieval run manifest.json\n',
  );
  folder.write('manifest.json', manifest([{ include: 'docs/*', tags: ['spec'] }, JSON.parse(pasted)]));
  expect(await plan()).toContain(
    'it needs a password, and SECRET_PLAN_PASSWORD (passwordEnv) is not set\n  next: export SECRET_PLAN_PASSWORD=…\n',
  );
  folder.write('.env', 'SECRET_PLAN_PASSWORD=s3cret\n');
  expect(await plan('--document', 'tag:spec')).toContain('2 documents, 2 jobs: 0 cached, 0 cannot be asked, 2 to run\n');
});

test('below a scan stand the command that reads it, and the entry that leaves it out', async () => {
  folder.write('docs/my scan [2].pdf', SCAN);
  folder.write('docs/packed.pdf.gz', gzipSync(SCAN));
  folder.write('manifest.json', manifest([{ include: 'docs/*', exclude: ['docs/*.bak'], charset: 'windows-1252' }]));
  const stdout = await plan();
  const scan = join(folder.dir, 'docs/my scan [2]');
  const pasted =
    '{ "include": "docs/*", "exclude": ["docs/*.bak", "docs/my scan \\\\[2\\\\].pdf", "docs/packed.pdf.gz"], "charset": "windows-1252" }';
  const leave = `  next: then remove the scan, or leave it out in "documents": ${pasted}\n`;
  expect(stdout).toContain(
    `warning: docs/my scan [2].pdf: document_no_text: no text layer (1 page, 0 characters)\n  next: ocrmypdf '${scan}.pdf' '${scan}-ocr.pdf'\n${leave}`,
  );
  const packed = join(folder.dir, 'docs/packed.pdf');
  expect(stdout).toContain(
    `  next: gunzip --keep ${packed}.gz\n  next: ocrmypdf ${packed} ${packed}-ocr.pdf\n`.replace('packed.pdf-ocr', 'packed-ocr'),
  );
  // What the command writes, in the place of the scan.
  writeFileSync(`${scan}-ocr.pdf`, rawPdf({ pages: [{ content: 'BT /F1 12 Tf 72 700 Td (The pump stops) Tj ET' }] }));
  folder.write('manifest.json', manifest([JSON.parse(pasted)]));
  expect(await plan()).toContain('2 documents, 2 jobs: 0 cached, 0 cannot be asked, 2 to run\n');
});

test('a scan that is named by its path is replaced by name', async () => {
  folder.write('docs/scan.pdf', SCAN);
  folder.write('manifest.json', manifest([{ path: 'docs/scan.pdf' }, 'docs/*.md']));
  expect(await plan()).toContain('  next: then name what comes of it in "documents": { "path": "docs/scan-ocr.pdf" }\n');
});

test('files beside the documents that match no entry are noted, a few of them, in plan only', async () => {
  for (const name of ['b.txt', 'c.docx', 'd.docx', 'e.docx', 'f.docx', 'g.docx']) folder.write(`docs/${name}`, 'x');
  folder.write('manifest.json', manifest(['docs/*.md']));
  const note = '6 files in docs/ match no entry of "documents": b.txt, c.docx, d.docx, e.docx, f.docx and 1 more';
  expect(await plan()).toContain(`\nnote: ${note}\n`);
  expect(JSON.parse(await plan('--json'))).toMatchObject({ warnings: [], notes: [note] });
  expect(await plan('--document', 'docs/a.md')).not.toContain('note:');
  expect((await folder.aieval('run', 'manifest.json')).stderr).not.toContain('match no entry');
});

test('a key that a run needs and that is not there is noted, once, and the plan stands', async () => {
  const keyed = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'LAB_KEY', headers: { 'x-team': `$${'{LAB_KEY}'}` } };
  const models = { small: { provider: 'lab', model: 'small', price: 'free' }, other: { provider: 'lab', model: 'other', price: 'free' } };
  folder.write('manifest.json', manifest(['docs/*.md'], { providers: { lab: keyed }, models }));
  const { exitCode, stdout } = await folder.aieval('plan', 'manifest.json');
  expect(exitCode).toBe(0);
  expect(stdout.match(/^note: .*$/gm)).toEqual(['note: key: LAB_KEY is not set; a run needs it']);
  folder.write('.env', 'LAB_KEY=…\n');
  expect(await plan()).toContain('note: key: LAB_KEY holds an ellipsis "…" at character 1, which no request can carry (from .env:1)\n');
  folder.write('.env', 'LAB_KEY=k\n');
  expect(await plan()).not.toContain('note:');
});

test('of many jobs that were never run a few are suggested first', async () => {
  for (let index = 1; index <= 11; index += 1) folder.write(`docs/${index}.md`, `Part ${index}.\n`);
  folder.write('manifest.json', manifest(['docs/*.md']));
  const nextLines = async (...args: string[]) => (await plan(...args)).match(/^next: .*$/gm);
  expect(await nextLines()).toEqual(['next: aieval run manifest.json --first 3', 'next: aieval run manifest.json']);
  expect(await nextLines('--first', '11')).toEqual(['next: aieval run manifest.json --first 11']);
  await folder.aieval('run', 'manifest.json', '--first', '1');
  expect(await nextLines()).toEqual(['next: aieval run manifest.json']);
});

test('what other runs of the manifest spent is noted where a bound in USD counts each run by itself', async () => {
  const priced = { provider: 'sim', model: 'small', price: { inputPerMTok: 100, outputPerMTok: 100 }, params: { maxOutputTokens: 1000 } };
  folder.write('manifest.json', manifest(['docs/*.md'], { models: { small: priced }, budget: { usd: 5 } }));
  expect(await plan()).not.toContain('note:');
  await folder.aieval('run', 'manifest.json');
  const note = /^note: 1 other run of "m" spent \$0\.\d+: budget\.usd begins anew with each run, budget\.group bounds all together$/m;
  expect(await plan()).toMatch(note);
  folder.write('docs/b.md', 'More.\n');
  const { stderr } = await folder.aieval('run', 'manifest.json');
  expect(stderr).toMatch(note);
  folder.write('manifest.json', manifest(['docs/*.md'], { models: { small: priced } }));
  expect(await plan()).not.toContain('note:');
});

test('plan and run say that documents are cut only because nobody stated how much the model takes', async () => {
  folder.write('docs/long.md', 'The pump shall stop within a second, and say so.\n\n'.repeat(2000));
  const ask = {
    prompt: 'prompt.md',
    output: { format: 'text' },
    checks: [],
    chunk: { by: 'section' },
    merge: { reduce: 'Sum up: {{answers}}' },
  };
  folder.write('manifest.json', manifest(['docs/*.md'], { tasks: { ask } }));
  const words =
    '1 document is asked in parts of at most 16000 tokens because contextTokens of model "small" is not stated: ' +
    'state models.small.contextTokens in the manifest';
  expect(await plan()).toContain(`\nwarning: ${words}\n`);
  expect((await folder.aieval('run', 'manifest.json')).stderr).toContain(words);
});
