import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { SUMMARY_FORMATS } from '../src/cli/commands/options.ts';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.ts';
import { LOCAL_SERVER_LINE } from '../src/cli/init/init-files.ts';
import { manifestJsonSchema } from '../src/domain/manifest/published-schema.ts';
import { CHECK_TYPES } from '../src/domain/manifest/schema-checks.ts';
import { aieval } from './cli/binary.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const LINES = README.split('\n');
const LONGEST_LINE = 160;

/** The cells of the table below this head, row by row. */
function table(head: string): string[][] {
  const start = LINES.findIndex((line) => line.startsWith(head));
  const rows = LINES.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

/** What stands in backquotes. */
function code(text = ''): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each);
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

describe('the README', () => {
  let program = '';
  beforeAll(async () => {
    program = await help();
  });

  test('has no line that must be scrolled, but for tables', () => {
    expect(LINES.filter((line) => line.length > LONGEST_LINE && !line.startsWith('|'))).toEqual([]);
  });

  test('lists every command of --help with every option', async () => {
    const listed = [...(program.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
    const rows = new Map(table('| command | does |').map(([, command, , options]) => [code(command)[0]?.split(' ')[0], code(options)]));
    expect([...rows.keys()].sort()).toEqual(listed.filter((name) => name !== 'help').sort());
    for (const [command = '', named] of rows) {
      const words = named.flatMap((each) => each.split(' '));
      for (const option of optionsOf(await help(command), 'Options')) expect(words, `${command} ${option}`).toContain(option);
    }
  });

  test('lists every global option', async () => {
    const words = table('| every command |').flatMap(([, options]) => code(options).flatMap((each) => each.split(' ')));
    for (const option of optionsOf(await help('run'), 'Global Options')) {
      if (option !== '--version') expect(words).toContain(option);
    }
  });

  test('lists every exit code', () => {
    const listed = table('| exit code |').flatMap(([, codes = '']) => codes.split(', ').map(Number));
    expect(listed).toEqual(EXIT_MEANINGS.map(([exitCode]) => exitCode));
  });

  test('lists every check, and every format of the summary', () => {
    const checks = table('| type | passes when |').flatMap(([, types]) => code(types).map((each) => each.split(' ')[0] ?? ''));
    expect(checks.sort()).toEqual([...CHECK_TYPES].sort());
    const summary = code(table('| command | does |').find(([, command]) => command?.startsWith('`summary'))?.[3]);
    expect(summary.map((each) => each.replace('--format ', ''))).toEqual(expect.arrayContaining([...SUMMARY_FORMATS]));
  });

  test('names every field of the manifest, at every depth', () => {
    const words = new Set(code(README.replace(/```.*?```/gs, '')).flatMap((each) => each.match(/\$?\w+/g) ?? []));
    expect(namesIn(manifestJsonSchema()).filter((name) => !words.has(name))).toEqual([]);
  });

  test("gives the line for a local server that init's closing words give", () => {
    expect(README).toContain(`\n  ${LOCAL_SERVER_LINE}\n`);
  });
});
