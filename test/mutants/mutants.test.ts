import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS, type Mutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NEEDED = ['package.json', 'tsconfig.json', 'src', 'test', 'fixtures', 'bin', 'dist'];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'aieval-mutants-'));
  for (const name of NEEDED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

type Outcome = { readonly red: readonly string[]; readonly green: readonly string[] };

/** Titles of the tests of a file that failed and passed in the copy. */
function testsOf({ test, title }: Mutant): Promise<Outcome> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const only = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const args = ['run', '--root', '.', '--config', 'test/vitest.config.ts', '--reporter=json', `--outputFile=${report}`, test, '-t', only];
  return new Promise((resolve) => {
    execFile(process.execPath, [vitest, ...args], { cwd: copy }, () => resolve(readOutcome(report)));
  });
}

function readOutcome(report: string): Outcome {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const tests: { status: string; fullName: string }[] = testResults.flatMap(
    (file: { assertionResults: object[] }) => file.assertionResults,
  );
  const titled = (status: string) => tests.filter((one) => one.status === status).map(({ fullName }) => fullName);
  return { red: titled('failed'), green: titled('passed') };
}

describe.each(MUTANTS)('without $guard', (mutant) => {
  it(`"${mutant.title}" turns red`, { timeout: 300_000 }, async () => {
    const file = join(copy, mutant.file);
    const original = readFileSync(file, 'utf8');
    expect(original.split(mutant.find), `places of the guard in ${mutant.file}`).toHaveLength(2);
    expect((await testsOf(mutant)).green, 'with the guard').not.toEqual([]);
    writeFileSync(
      file,
      original.replace(mutant.find, () => mutant.replace),
    );
    try {
      expect((await testsOf(mutant)).red.join('\n'), 'without it').toContain(mutant.title);
    } finally {
      writeFileSync(file, original);
    }
  });
});
