import { describe, expect, test } from 'vitest';
import { DOCUMENT, expectError, folder, manifestText, nextCommands } from './case.ts';

const KEY = 'sk-proj-abcdefghijklmnopqrstuvwxyz123456';
const made = (parts: object = {}, files: Record<string, string | Uint8Array> = {}) =>
  folder({ files: { 'manifest.json': manifestText(parts), ...DOCUMENT, ...files } });
const ask = (parts: object) => ({ tasks: { ask: { prompt: '{{document}}\n\nWhat?', output: { format: 'text' }, checks: [], ...parts } } });

describe('what is wrong with a manifest is told with its place, before anything is spent', () => {
  test('E01: no manifest; `aieval init` makes one', async () => {
    const place = folder();
    const lines = ['error[E01]: manifest.json not found in <dir>', 'next: aieval init'];
    await expectError(place, ['run', 'manifest.json'], { exitCode: 2, lines });
    const [init = []] = nextCommands(await place.aieval('run', 'manifest.json'));
    expect((await place.aieval(...init)).exitCode).toBe(0);
    expect((await place.aieval('validate', 'manifest.json')).exitCode).toBe(0);
  });

  test('E01: a near miss is named, and validated by the next command', async () => {
    const place = folder({ files: { 'manifset.json': manifestText(), ...DOCUMENT } });
    const lines = ['error[E01]: manifest.json not found in <dir>: did you mean manifset.json?', 'next: aieval validate manifset.json'];
    await expectError(place, ['run', 'manifest.json'], { exitCode: 2, lines });
    const [next = []] = nextCommands(await place.aieval('run', 'manifest.json'));
    expect((await place.aieval(...next)).exitCode).toBe(0);
  });

  test('E02: broken JSON has line, caret and the comma that is missing; a byte-order mark is nothing wrong', async () => {
    const place = folder({ files: { 'manifest.json': '{\n  "version": 1,\n  "documents": ["a"]\n  "models": {}\n}\n' } });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        `error[E02]: manifest.json:4:3: expected ',' or '}' after "documents" value`,
        '    "models": {}',
        '    ^',
        'next: add a comma at the end of line 3',
      ],
    });
    place.write('manifest.json', `\ufeff${manifestText()}`);
    place.write('docs/01.md', 'text');
    expect((await place.aieval('validate', 'manifest.json')).exitCode).toBe(0);
  });

  test('E02: comments belong into a .jsonc, and the renamed file is read', async () => {
    const text = `{\n  // mine\n${manifestText().slice(2)}`;
    const place = folder({ files: { 'manifest.json': text, 'manifest.jsonc': text, ...DOCUMENT } });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 2,
      lines: ['error[E02]: manifest.json:2:3: JSON has no comments', '    // mine', '    ^', 'next: rename to manifest.jsonc'],
    });
    expect((await place.aieval('validate', 'manifest.jsonc')).exitCode).toBe(0);
  });

  test('E03: a glob that matches nothing says what is there', async () => {
    await expectError(made({ documents: ['docs/*.markdown'] }), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        'error[E03]: manifest.json:5:5: documents[0] "docs/*.markdown" matches no file (base <dir>; 1 file ends in .md)',
        'next: correct "documents" in the manifest, or mark the entry "optional": true',
      ],
    });
  });

  test('E04: all unknown keys in one go, at every depth, each with a suggestion', async () => {
    await expectError(made({ ...ask({ promt: 'x' }), documnets: [] }), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        'error[E04]: manifest.json:25:7: unknown key "promt" in tasks.ask. Did you mean "prompt"?',
        'error[E04]: manifest.json:28:3: unknown key "documnets". Did you mean "documents"?',
      ],
    });
  });

  test('E06: a key in the manifest is told, and never printed', async () => {
    const place = made({ models: { small: { provider: 'sim', model: 'small', apiKey: KEY } } });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        'error[E06]: manifest.json:16:17: models.small.apiKey looks like a secret. Put it in an environment variable and use "apiKeyEnv". Revoke this key if it was committed.',
      ],
    });
    const { stderr } = await place.aieval('run', 'manifest.json');
    expect(stderr).not.toContain(KEY.slice(8));
  });

  test('E07: a value of the wrong type says what was expected and what came', async () => {
    await expectError(made(ask({ repeats: '3' })), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: ['error[E07]: manifest.json:25:18: tasks.ask.repeats must be an integer 1–20, got "3" (string)'],
    });
  });

  test('E08: a newer manifest is never guessed at', async () => {
    await expectError(made({ version: 2 }), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        'error[E08]: manifest.json:2:14: manifest version 2 needs a newer aieval; this one reads version 1',
        'next: update aieval; in a clone of it: git pull && npm ci',
      ],
    });
  });

  test('E09: a reference to nothing lists what there is', async () => {
    await expectError(made(ask({ models: ['smal'] })), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: ['error[E09]: manifest.json:26:9: tasks.ask.models[0] "smal" is not in models (small). Did you mean "small"?'],
    });
  });

  test('E10: an unknown template variable has its place in the prompt file, and the known ones', async () => {
    await expectError(made(ask({ prompt: 'p.md' }), { 'p.md': '{{document}}\n  {{doc}} y\n' }), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: ['error[E10]: p.md:2:3: unknown variable {{doc}}. Known: document, document.path, document.title, schema.'],
    });
  });

  test('E11: a task without checks is refused, since every job would pass', async () => {
    await expectError(made({ tasks: { ask: { prompt: '{{document}}', output: { format: 'text' } } } }), ['run', 'manifest.json'], {
      exitCode: 2,
      lines: [
        'error[E11]: manifest.json:19:5: task "ask" has no checks, so every job would pass',
        'next: add "checks", or "checks": [] to collect answers only',
      ],
    });
  });

  test('E26: a field of a later version is refused, not ignored', async () => {
    const place = made({ review: { when: ['fail'] } });
    await expectError(place, ['run', 'manifest.json'], {
      exitCode: 2,
      lines: ['error[E26]: manifest.json:27:3: review is not supported yet: remove it'],
    });
  });

  test('E27: more jobs than maxJobs', async () => {
    const { exitCode, stderr } = await made({ maxJobs: 1 }, { 'docs/02.md': 'two' }).aieval('run', 'manifest.json');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/error\[E27\]: the manifest gives .*maxJobs = 1.*\nnext: narrow /);
  });

  test('E29: a selection of nothing', async () => {
    const { exitCode, stderr } = await made({ matrix: { exclude: [{ document: '**' }] } }).aieval('run', 'manifest.json');
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/error\[E29\]: manifest\.json selects no job\nnext: look at "documents"/);
  });
});
