import { expect, test } from 'vitest';
import { heading, paragraph, table } from '../../../fixtures/make/docx-file.ts';
import { linesOf, read } from './read.ts';

const HEADED = '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>';

test('a table with a table in a cell keeps its columns, its header and its block', async () => {
  const inner = table([
    ['n1', 'n2'],
    ['n3', 'n4'],
  ]);
  const content = await read({
    body: table(
      [
        ['Name', 'Value'],
        ['row', paragraph('x') + inner],
      ],
      HEADED,
    ),
  });
  expect(content.text).toBe('Name | Value\nrow | x n1; n2 n3; n4');
  expect(content.blocks).toEqual([expect.objectContaining({ kind: 'table', start: 0, headerEnd: 12 })]);
});

test('a heading in a cell of a table of data is a word of the row', async () => {
  expect(
    await linesOf(
      table([
        [heading('Cell heading', 1), 'A2'],
        ['B1', 'B2'],
      ]),
    ),
  ).toEqual(['Cell heading | A2', 'B1 | B2']);
});

test('a frame of one column around headings and tables is no table', async () => {
  const content = await read({ body: table([[heading('Scope', 1) + paragraph('Words.') + table([['a', 'b']])]]) });
  expect(content.text.split('\n').filter((line) => line !== '')).toEqual(['# Scope', 'Words.', 'a | b']);
  expect(content.sections.map(({ title }) => title)).toContain('Scope');
});

test('columns that a row leaves out at its beginning stay empty', async () => {
  const rows = table([['B1'], ['A2', 'B2']]).replace('<w:tr>', '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>');
  expect((await linesOf(rows)).map((line) => line.trim())).toEqual(['| B1', 'A2 | B2']);
});
