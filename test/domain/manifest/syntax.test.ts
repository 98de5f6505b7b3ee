import { describe, expect, test } from 'vitest';
import { parseSource } from '../../../src/domain/manifest/syntax.ts';

const syntaxErrors: [text: string, message: string, hint: string | null][] = [
  ['{\n  "documents": ["x"]\n  "b": 2 }', `m.json:3:3: expected ',' or '}' after "documents" value`, 'add a comma at the end of line 2'],
  ['[1 "x"]', "m.json:1:4: expected ',' or ']' after item 1", 'add a comma at the end of line 1'],
  ['{"a": 01}', `m.json:1:8: expected ',' or '}' after "a" value`, null],
  ['{"a": 1]}', `m.json:1:8: expected ',' or '}' after "a" value`, null],
  ['{"a": 1', "m.json:1:8: expected '}' to close line 1, got the end of the file", null],
  ['{\n"a": [1', "m.json:2:8: expected ']' to close line 2, got the end of the file", null],
  ['{"a" 1}', "m.json:1:6: expected ':' after the key", null],
  ['{"a":', 'm.json:1:6: expected a value, got the end of the file', null],
  ['{a: 1}', "m.json:1:2: unexpected 'a'", 'keys and texts stand in double quotes'],
  ["{'a': 1}", "m.json:1:2: unexpected ''a''", 'keys and texts stand in double quotes'],
  ['{"a": 1,, "b": 2}', "m.json:1:9: expected a key in double quotes, got ','", null],
  ['{"a": "x', "m.json:1:7: the text is not closed: expected '\"' on the same line", null],
  ['{"a": "\t"}', 'm.json:1:7: control character in a text: write \\n or \\t', null],
  ['{"a": "C:\\q"}', 'm.json:1:7: unknown escape in a text: a backslash is written \\\\', null],
  ['{"a": "\\u12"}', 'm.json:1:7: expected four hexadecimal digits after \\u', null],
  ['{"a": 1e999}', 'm.json:1:7: a is a number that JSON cannot hold', null],
  ['{"a": 1, "b": 2, "a": 3}', 'm.json:1:18: duplicate key "a", first at 1:2', null],
  ['{"x": {"__proto__": {}}}', 'm.json:1:8: the key "__proto__" is not allowed', null],
  ['// why\n{"a": 1}', 'm.json:1:1: JSON has no comments', 'rename to m.jsonc'],
  ['{"a": [1,]}', 'm.json:1:9: JSON has no trailing commas', 'rename to m.jsonc'],
  ['', 'm.json:1:1: the file is empty', 'aieval init'],
  ['\uFEFF \n', 'm.json:1:1: the file is empty', 'aieval init'],
  ['['.repeat(100_000), 'm.json:1:101: nested deeper than 100 levels', null],
];

const yamlErrors: [text: string, message: string][] = [
  ['a: b: c', 'm.yaml:1:4: nested mappings are not allowed in compact mappings'],
  ['a: [1,\n', 'm.yaml:2:1: flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['a: !secret x', 'm.yaml:1:4: unresolved tag: !secret'],
  ['a: !!binary AAAA', 'm.yaml:1:13: only texts, numbers, true, false and null are allowed here'],
  ['? [a]\n: 1', 'm.yaml:1:3: a key must be a plain text'],
  ['a: 1\n---\nb: 2', 'm.yaml:2:1: only one YAML document is allowed in a file'],
  ['a: *x', 'm.yaml:1:4: alias *x has no anchor before it'],
  ['a: &x [*x]', 'm.yaml:1:8: nested deeper than 100 levels'],
  ['a: .inf', 'm.yaml:1:4: a is a number that JSON cannot hold'],
  ['b: 1\nb: 2', 'm.yaml:2:1: duplicate key "b", first at 1:1'],
  [`${'- '.repeat(20_000)}x`, 'm.yaml:1:203: nested deeper than 100 levels'],
  ['', 'm.yaml:1:1: the file is empty'],
  [
    [
      'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
      ...Array.from({ length: 8 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`)}]`),
    ].join('\n'),
    'm.yaml:5:38: aliases expand to more than 100000 values',
  ],
];

describe('JSON', () => {
  test.each(syntaxErrors)('%j is a problem with its place and its cure', (text, message, hint) => {
    const [problem] = parseSource(text, 'm.json').problems;
    expect(problem).toMatchObject({ code: 'E02', message, hint });
  });

  test('a problem shows the source line with a caret below the place', () => {
    const [problem] = parseSource('{\n\t"a": 1\n\t"b": 2\n}', 'm.json').problems;
    expect(problem).toMatchObject({ line: 3, column: 2, excerpt: '\t"b": 2\n\t^' });
  });

  test('a long line is cut around the place', () => {
    const [problem] = parseSource(`{"a": "${'x'.repeat(500)}" "b": "${'y'.repeat(500)}"}`, 'm.json').problems;
    const [line = '', caret = ''] = problem?.excerpt?.split('\n') ?? [];
    expect([line.length, line.charAt(caret.indexOf('^')), line.charAt(caret.indexOf('^') + 1)]).toEqual([120, '"', 'b']);
  });

  test('a source line never shows a secret, and the caret still stands right', () => {
    const [problem] = parseSource('{"apiKey": "hunter2" "b": 1}', 'm.json').problems;
    expect(problem?.excerpt).toBe('{"apiKey": ********* "b": 1}\n                     ^');
  });

  test('comments and trailing commas are reported together with everything that follows', () => {
    const { source, problems } = parseSource('// c\n{"a": [1,],}', 'm.json');
    expect([source?.value, problems.length]).toEqual([{ a: [1] }, 2]);
  });

  test('a byte order mark is no part of the text', () => {
    const { source, problems } = parseSource('\uFEFF{"a": 1}', 'm.json');
    expect([source?.value, problems]).toEqual([{ a: 1 }, []]);
  });
});

describe('YAML', () => {
  test.each(yamlErrors)('%# is a problem with its place', (text, message) => {
    const [problem] = parseSource(text, 'm.yaml').problems;
    expect(problem).toMatchObject({ code: 'E02', message });
  });

  test('aliases repeat their anchors, keys are texts, dates stay text, missing values are null', () => {
    const { source } = parseSource('a: &x {b: 1}\nc: *x\n1: 2026-11-01\nd:\n', 'm.yml');
    expect(source?.value).toEqual({ a: { b: 1 }, c: { b: 1 }, 1: '2026-11-01', d: null });
  });
});

test.each([
  ['m.json', '{"providers": {"lab": {"baseUrl": "https://ann:HUNTER2@lab.example/v1" "stream": true}}}'],
  ['m.json', '{"baseUrl": "https://ann:HUNTER2@lab.example/v1'],
  ['m.json', '{"apiKey": HUNTER2}'],
  ['m.yaml', 'baseUrl: "https://ann:HUNTER2@lab.example/v1" x'],
  ['m.yaml', 'apiKey: !HUNTER2 x'],
  ['m.yaml', 'apiKey: |HUNTER2'],
  ['m.yaml', 'apiKey: "HUN" TER2'],
  ['m.yaml', 'x: [1, "https://ann:HUNTER2@h", 2'],
])('a mistake in %s beside a secret is told without it: %s', (name, text) => {
  const { problems } = parseSource(text, name);
  expect(problems).toMatchObject([{ code: 'E02', line: 1 }]);
  expect(JSON.stringify(problems)).not.toMatch(/HUN|TER2/);
});

test('JSON, JSONC and YAML of the same manifest give the same value', () => {
  const value = { version: 1, a: [1, 'x', null, true, { 'b.c': -0.5 }], text: 'é {{document}}\n"quoted"', empty: {} };
  const json = JSON.stringify(value, null, 2);
  const yaml = 'version: 1\na:\n  - 1\n  - x\n  -\n  - true\n  - b.c: -0.5\ntext: |-\n  é {{document}}\n  "quoted"\nempty: {}\n';
  const values = [
    parseSource(json, 'm.json'),
    parseSource(`// comment\n${json.replace(/\n}$/, ',\n}')} /* end */`, 'm.JSONC'),
    parseSource(json, 'm.yaml'),
    parseSource(yaml, 'm.yml'),
  ].map(({ source }) => source?.value);
  expect(values).toEqual([value, value, value, value]);
});
