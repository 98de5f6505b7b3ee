import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { SUMMARY_FORMATS } from '../src/cli/commands/options.ts';
import { CONFIG_SETTINGS } from '../src/cli/config/config-settings.ts';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.ts';
import { LOCAL_SERVER_LINE } from '../src/cli/init/init-files.ts';
import { manifestJsonSchema } from '../src/domain/manifest/published-schema.ts';
import { CHECK_TYPES } from '../src/domain/manifest/schema-checks.ts';
import { aieval } from './cli/binary.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const page = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const README = page('README.md');
const LONGEST_LINE = 160;

/** The cells of the table below this head, row by row. */
function table(text: string, head: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(head));
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

/** What stands in backquotes, blocks of code left out. */
function code(text = ''): string[] {
  return [...text.replace(/```.*?```/gs, '').matchAll(/`([^`]+)`/g)].map(([, each = '']) => each);
}

/** The names of properties that a JSON Schema describes. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [...(key === 'properties' ? Object.keys(Object(value)) : []), ...namesIn(value)]);
}

const help = async (...args: string[]): Promise<string> => (await aieval([...args, '--help'], { cwd: ROOT })).stdout;

/** The options in a part of a help text, under their long names where they have one. */
function optionsOf(text: string, part: 'Options' | 'Global Options'): string[] {
  const block = text.split(`\n${part}:\n`)[1]?.split('\n\n')[0] ?? '';
  return [...block.matchAll(/^ {2}(?:-\w, )?(-[-\w]+)/gm)].map(([, name = '']) => name).filter((name) => name !== '--help');
}

async function globalOptions(): Promise<string[]> {
  return optionsOf(await help('run'), 'Global Options').filter((option) => option !== '--version');
}

describe('the README', () => {
  let program = '';
  beforeAll(async () => {
    program = await help();
  });

  test('has no line that must be scrolled, in code neither, but for tables', () => {
    expect(README.split('\n').filter((line) => line.length > LONGEST_LINE && !line.startsWith('|'))).toEqual([]);
  });

  test('lists every command of --help with every option', async () => {
    const listed = [...(program.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
    const rows = new Map(
      table(README, '| command | does |').map(([, command, , options]) => [code(command)[0]?.split(' ')[0], code(options)]),
    );
    expect([...rows.keys()].sort()).toEqual(listed.filter((name) => name !== 'help').sort());
    for (const [command = '', named] of rows) {
      const words = named.flatMap((each) => each.split(' '));
      for (const option of optionsOf(await help(command), 'Options')) expect(words, `${command} ${option}`).toContain(option);
    }
  });

  test('names every global option', async () => {
    const words = code(README).flatMap((each) => each.split(' '));
    for (const option of await globalOptions()) expect(words).toContain(option);
  });

  test('lists every exit code', () => {
    const [, codes = ''] = /^Exit codes: (.*?)\. More:/ms.exec(README) ?? [];
    const listed = codes.split('·').flatMap((each) => (/^\s*([\d, ]+)/.exec(each)?.[1] ?? '').split(',').map(Number));
    expect(listed).toEqual(EXIT_MEANINGS.map(([exitCode]) => exitCode));
  });

  test('names every check, and every format of the summary', () => {
    expect(code(README)).toEqual(expect.arrayContaining([...CHECK_TYPES]));
    const summary = code(table(README, '| command | does |').find(([, command]) => command?.startsWith('`summary'))?.[3]);
    expect(summary.map((each) => each.replace('--format ', ''))).toEqual(expect.arrayContaining([...SUMMARY_FORMATS]));
  });

  test('names every part of the manifest', () => {
    const words = new Set(README.match(/\$?\w+/g));
    expect(Object.keys(Object(manifestJsonSchema().properties)).filter((name) => !words.has(name))).toEqual([]);
  });

  test("gives the line for a local server that init's closing words give", () => {
    expect(README).toContain(`\n  ${LOCAL_SERVER_LINE}\n`);
  });
});

describe('docs/configuration.md', () => {
  const text = page('docs/configuration.md');

  test('lists every global option', async () => {
    const words = table(text, '| every command |').flatMap(([, options]) => code(options).flatMap((each) => each.split(' ')));
    for (const option of await globalOptions()) expect(words).toContain(option);
  });

  test('lists every setting, with its flag, variable and field', () => {
    const rows = table(text, '| setting |').map(([, ...cells]) => cells.slice(0, 4).map((cell) => code(cell)[0] ?? null));
    expect(rows).toEqual(
      Object.entries(CONFIG_SETTINGS).map(([key, { flag, variable, field }]) => [key, flag, variable, field?.join('.') ?? null]),
    );
  });
});

test('docs/writing-tasks.md lists every check', () => {
  const checks = table(page('docs/writing-tasks.md'), '| type | passes when |').flatMap(([, types]) =>
    code(types).map((each) => each.split(' ')[0] ?? ''),
  );
  expect(checks.sort()).toEqual([...CHECK_TYPES].sort());
});

test('docs/manifest.md names every field of the manifest, at every depth', () => {
  const words = new Set(code(page('docs/manifest.md')).flatMap((each) => each.match(/\$?\w+/g) ?? []));
  expect(namesIn(manifestJsonSchema()).filter((name) => !words.has(name))).toEqual([]);
});
