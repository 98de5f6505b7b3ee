import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rawPdf } from '../../documents/pdf/raw-pdf.ts';
import { folder, manifestText } from './case.ts';

test('E17: a scan is told with the command that mends it; the other documents go on', async () => {
  const scan = rawPdf({ pages: [{ content: '0 0 100 100 re f' }, { content: '' }] });
  const text = manifestText({ documents: ['docs/*'] });
  const place = folder({ files: { 'manifest.json': text, 'docs/my scan.pdf': scan, 'docs/a.md': 'Text.\n' } });
  const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('  1× document_no_text    docs/my scan.pdf:ask:small: no text layer (2 pages, 0 characters)\n');
  expect(stderr).toContain(
    "→ ocrmypdf 'docs/my scan.pdf' 'docs/my scan-ocr.pdf', then remove the scan or exclude it, then: aieval run manifest.json\n",
  );
  expect(stderr).toContain('(1 pass, 0 fail, 1 not evaluated)');
  const told = await Promise.all([
    place.aieval('summary'),
    place.aieval('logs'),
    place.aieval('show', 'docs/my scan.pdf:ask:small'),
    place.aieval('export', '--format', 'csv'),
  ]);
  for (const { stdout } of told) {
    expect(stdout).toMatch(/ocrmypdf .*my scan-ocr\.pdf.*, then remove the scan or exclude it/);
    expect(stdout).not.toContain(`${place.dir}/docs`);
  }
});

test('E17: where the text of a scan is there already, no command is told that makes it again', async () => {
  const scan = rawPdf({ pages: [{ content: '0 0 100 100 re f' }] });
  const text = manifestText({ documents: ['docs/*'] });
  const files = { 'manifest.json': text, 'docs/s.pdf.gz': gzipSync(scan), 'docs/s-ocr.pdf': scan, 'docs/a.md': 'Text.\n' };
  const place = folder({ files });
  const { stderr } = await place.aieval('run', 'manifest.json');
  expect(stderr).not.toMatch(/ocrmypdf docs\/s\.pdf /);
  await place.aieval('run', 'manifest.json');
  const { stdout } = await place.aieval('show', 'docs/s.pdf.gz:ask:small');
  expect(stdout).toContain(' next: remove the scan or exclude it (its text is in docs/s-ocr.pdf)\n');
});

test('E17: of `extract` it is an error, with the same command', async () => {
  const scan = rawPdf({ pages: [{ content: '0 0 100 100 re f' }] });
  const place = folder({ files: { 'scan.pdf': scan } });
  const { exitCode, stderr } = await place.aieval('extract', 'scan.pdf');
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/^error\[E17\]: .*no text layer \(1 page, 0 characters\)/);
  expect(stderr).toContain(`next: ocrmypdf ${place.dir}/scan.pdf ${place.dir}/scan-ocr.pdf\n`);
});

test('E18: a document that is too long is found by `plan`, before anything is spent, and chunk is named', async () => {
  const parts = { models: { small: { provider: 'sim', model: 'small', contextTokens: 2000, params: { maxOutputTokens: 100 } } } };
  const place = folder({
    files: { 'manifest.json': manifestText(parts), 'docs/long.md': 'The device shall answer at once. '.repeat(2000) },
  });
  const { exitCode, stdout, stderr } = await place.aieval('plan', 'manifest.json');
  expect(exitCode).toBe(3);
  const all = stdout + stderr;
  expect(all).toMatch(
    /1 job cannot be asked \(input_too_long\), e\.g\. docs\/long\.md:ask:small: about \d+ tokens with the answer, more than contextTokens = 2000 of model "small"/,
  );
  expect(all).toContain(
    'in the manifest, raise models.small.contextTokens or lower models.small.params.maxOutputTokens, or set tasks.ask.chunk so that it is asked in parts',
  );
});
