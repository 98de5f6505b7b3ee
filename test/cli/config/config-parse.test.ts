import { expect, test } from 'vitest';
import { parseUserConfig } from '../../../src/cli/config/config-parse.ts';
import { ManifestError } from '../../../src/domain/manifest/manifest-error.ts';

const PATH = '/home/ann/.config/aieval/config.json';

function problems(text: string): string[] {
  try {
    parseUserConfig(text, PATH);
    return [];
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return error.problems.map(({ code, message }) => `${code} ${message}`);
  }
}

test('a user config may hold every setting, comments and a schema for editors', () => {
  const text = `{
  // mine
  "$schema": "x", "db": "/data/a.db", "out": "runs", "profile": "ci", "display": "plain", "logFormat": "json", "noColor": true,
  "noInput": false, "trustFs": true, "allowHosts": ["Lab.example:8000"], "concurrency": 4, "maxCost": 0.5, "maxJobs": 10,
}`;
  expect(parseUserConfig(text, PATH)).toEqual({
    db: '/data/a.db',
    out: 'runs',
    profile: 'ci',
    display: 'plain',
    logFormat: 'json',
    noColor: true,
    noInput: false,
    trustFs: true,
    allowHosts: ['lab.example:8000'],
    concurrency: 4,
    maxCost: 0.5,
    maxJobs: 10,
  });
});

test('what cannot be meant in a user config is told all at once, with its place and a suggestion', () => {
  expect(problems('{\n  "concurency": 4,\n  "maxCost": "5",\n  "display": "loud",\n  "allowHosts": ["http://x"]\n}')).toEqual([
    `E04 ${PATH}:2:3: unknown key "concurency" in the user config. Did you mean "concurrency"?`,
    `E07 ${PATH}:3:14: maxCost must be an amount of USD, such as 5 or 0.50`,
    `E07 ${PATH}:4:14: display must be full, plain or none`,
    `E07 ${PATH}:5:17: allowHosts must be a list, each a host such as lab.example, lab.example:8000 or *.lab.example`,
  ]);
  expect(problems('[1]')).toEqual([`E07 ${PATH}:1:1: the user config must be an object`]);
  expect(problems('{ "db" }')).toEqual([expect.stringContaining(`E02 ${PATH}:1:8: `)]);
});

test.each([
  ['concurrency', [0, 10_000, 1.5, '4'], 'a whole number 1–9999'],
  ['maxJobs', [0, 1_000_000_000, -1, 2.5], 'a whole number 1–999999999'],
  ['maxCost', [-0.01, 1_000_000_000, true], 'an amount of USD, such as 5 or 0.50'],
])('%s of a user config has the bounds of its flag', (key, wrong, form) => {
  for (const value of wrong) {
    expect(problems(JSON.stringify({ [key]: value }))).toEqual([expect.stringContaining(`: ${key} must be ${form}`)]);
  }
});

test.each([
  ['{"store":"postgres://ae:HUNTER2@127.0.0.1:9173/leak" "display":"plain"}', "1:54: expected ',' or '}' after \"store\" value"],
  ['{"store":"postgres://ae:HUNTER2@127.0.0.1:9173/leak,\n"display":"plain"}', '1:10: the text is not closed'],
  ['{"store":"postgres://ae:HUNTER2,\n"display":"plain"}', '1:10: the text is not closed'],
  ['{"store":"postgres://ae:HUN"TER2@h/leak"}', "1:29: unexpected '"],
  ['{"store":"postgres://ae:HUN TER2@h/leak",,}', '1:42: expected a key'],
  ['{"store":postgres://ae:HUNTER2@h/leak}', "1:10: unexpected 'postgres'"],
  ['{"store":"host=h password=HUNTER2" "display":"plain"}', "1:36: expected ','"],
  ['{"display":"postgres://ae:HUNTER2@h/leak"}', '1:12: display must be'],
  ['{"postgres://ae:HUNTER2@h/leak":1}', '1:2: unknown key'],
])('of %s the place is told, by the name of the file, and no password', (text, place) => {
  expect.assertions(2);
  try {
    parseUserConfig(text, PATH);
  } catch (error) {
    const said = error instanceof ManifestError ? JSON.stringify([error.message, error.problems]) : '';
    expect(error).toMatchObject({ message: expect.stringContaining(`${PATH}:${place}`) });
    expect(said).not.toMatch(/HUN|TER2/);
  }
});
