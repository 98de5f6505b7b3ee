import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EXIT_MEANINGS, worst } from '../../../src/cli/exit-codes.ts';
import { EXAMPLES } from './examples.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

/** Numbers in strings and templates of the sources: those that a message can have. */
function codesInUse(): string[] {
  const files = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = [read('bin/aieval.js'), ...files.map((name) => read(`src/${name}`))];
  const codes = texts.flatMap((text) => [...text.matchAll(/'(E\d\d)'|\[(E\d\d)\]:/g)].map(([, one, other]) => one ?? other ?? ''));
  return [...new Set(codes)].sort();
}

const sections = read('docs/troubleshooting.md').split(/^## /m).slice(1);

function exampleOf(code: string): string {
  const section = sections.find((each) => each.startsWith(code)) ?? '';
  return /```text\n(.+?\n)```/s.exec(section)?.[1] ?? '';
}

const RUN_ID = /\br-[a-z0-9]{8}\b/g;

/** Without what differs from run to run: ids, times, the limit of this shell. */
function anyRun(text: string): string {
  return text
    .replaceAll(RUN_ID, 'r-…')
    .replace(/(aieval show )[a-z0-9]{8}/g, '$1…')
    .replace(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d\b/g, 'day time')
    .replace(/crash-[-\d:.TZ]+/g, 'crash-time')
    .replace(/(this process may open )\d+/g, '$1…');
}

describe('docs/troubleshooting.md', () => {
  test('has a section for every code that the program gives, in order, and none that it gives nowhere', () => {
    const headings = sections.map((section) => section.slice(0, 3));
    expect(headings).toEqual([...headings].sort());
    // A reason of jobs, `input_too_long`: told with what the run is doing, not as an error of its own.
    expect(headings.filter((code) => code !== 'E18')).toEqual(codesInUse());
  });

  test('every section says what it means, shows it as it is printed, and says what to do', () => {
    for (const section of sections) expect(section).toMatch(/^E\d\d\n\n\*\*[^*]+\.\*\* .+?\n\n```text\n.+?\n```\n\n\S.+/s);
  });

  test('an example shows its own code', () => {
    for (const section of sections.filter((each) => !each.startsWith('E18'))) {
      expect(section).toMatch(new RegExp(`\`\`\`text\\n.*(?:(?:error|note)\\[${section.slice(0, 3)}\\]|\\(${section.slice(0, 3)}\\))`));
    }
  });

  test('there is a situation that gives each example, but for a report of 200 MB', () => {
    expect(Object.keys(EXAMPLES)).toEqual(sections.map((section) => section.slice(0, 3)).filter((code) => code !== 'E38'));
  });

  test.each(Object.entries(EXAMPLES))('%s is shown as the program prints it', { timeout: 60_000 }, async (code, give) => {
    expect(anyRun(await give())).toContain(anyRun(exampleOf(code)));
  });

  test('E38 is shown as it stands in the program', () => {
    const source = read('src/engine/write-report.ts').replace(/\$\{[^}]*\}/g, '…');
    for (const line of exampleOf('E38').trimEnd().split('\n')) {
      const [, words = ''] = /^(?:error\[E38\]|next): (.*)/.exec(line) ?? [];
      expect(source).toContain(words.replaceAll(RUN_ID, '…').replace('200 MB', '…'));
    }
  });
});

describe('docs/exit-codes.md', () => {
  const page = read('docs/exit-codes.md');

  test('has the codes and meanings of --help', () => {
    const rows = [...page.matchAll(/^\| (\d+) \| ([^|]+) \|/gm)].map(([, code, meaning]) => [Number(code), meaning]);
    expect(rows).toEqual(EXIT_MEANINGS.map(([code, meaning]) => [code, meaning]));
  });

  test('has the order in which they outweigh each other', () => {
    const order = (/```text\n([\d ]+)\n```/.exec(page)?.[1] ?? '').split(' ').map(Number);
    expect([...order].sort((a, b) => a - b)).toEqual(EXIT_MEANINGS.map(([code]) => code));
    for (const [place, code] of order.entries()) for (const weaker of order.slice(place + 1)) expect(worst([weaker, code])).toBe(code);
  });
});
