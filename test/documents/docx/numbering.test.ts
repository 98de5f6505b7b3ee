import { describe, expect, test } from 'vitest';
import { list, listItem, paragraph } from '../../../fixtures/make/docx-file.ts';
import { linesOf, read } from './read.ts';

const OUTLINE = list(1, [
  ['upperRoman', '%1.'],
  ['decimal', '%1.%2'],
  ['lowerRoman', '%3)'],
]);

describe('numbers of lists', () => {
  test('begin anew below a higher level, and go on over other text', async () => {
    const levels = [0, 1, 1, 0, 1, 2, 2, 1];
    const body = levels.map((level) => listItem('x', 1, level)).join('');
    expect(await linesOf({ numbering: OUTLINE, body })).toEqual(['I. x', 'I.1 x', 'I.2 x', 'II. x', 'II.1 x', 'i) x', 'ii) x', 'II.2 x']);
  });

  test('take a level that never came for its first number', async () => {
    expect(await linesOf({ numbering: OUTLINE, body: listItem('x', 1, 1) })).toEqual(['I.1 x']);
  });

  test('are shared by nums of one list, until one starts over', async () => {
    const restarted =
      '<w:num w:numId="5"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>';
    const same = '<w:num w:numId="6"><w:abstractNumId w:val="1"/></w:num>';
    const numbering = `${list(1, [['decimal', '%1)']])}${restarted}${same}`;
    const body = [1, 1, 6, 5, 5].map((numId) => listItem('x', numId)).join('');
    expect(await linesOf({ numbering, body })).toEqual(['1) x', '2) x', '3) x', '1) x', '2) x']);
  });

  test('are plain digits where the level says so, and none at num 0', async () => {
    const legal = OUTLINE.replace('<w:lvlText w:val="%1.%2"/>', '<w:isLgl/><w:lvlText w:val="%1.%2"/>');
    expect(await linesOf({ numbering: legal, body: `${listItem('x', 1, 0)}${listItem('x', 1, 1)}${listItem('x', 0)}` })).toEqual([
      'I. x',
      '1.1 x',
      'x',
    ]);
  });

  test('in a format that is not known are digits, and that is said', async () => {
    const content = await read({ numbering: list(1, [['chicago', '%1']]), body: listItem('x', 1) });
    expect(content.text).toBe('1 x');
    expect(content.warnings).toEqual(['list numbers written as digits, not as Word writes them: chicago']);
  });

  test.each([
    ['lowerLetter', ['a', 'z', 'aa']],
    ['decimalZero', ['01', '26', '27']],
    ['ordinal', ['1st', '26th', '27th']],
    ['upperRoman', ['I', 'XXVI', 'XXVII']],
  ])('in the format %s', async (format, expected) => {
    const lines = await linesOf({
      numbering: list(1, [[format, '%1']]),
      body: Array.from({ length: 27 }, () => listItem('x', 1)).join(''),
    });
    expect([lines[0], lines[25], lines[26]]).toEqual(expected.map((label) => `${label} x`));
  });

  test('of a style stand on the level that names it, also for styles that inherit from it', async () => {
    const numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>';
    const styles = [
      `<w:style w:styleId="Heading1"><w:name w:val="heading 1"/>${numbered}</w:style>`,
      `<w:style w:styleId="Heading2"><w:name w:val="heading 2"/>${numbered}</w:style>`,
      '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Heading2"/></w:style>',
    ].join('');
    const levels = ['Heading1', 'Heading2'].map(
      (style, level) => `<w:lvl w:ilvl="${level}"><w:pStyle w:val="${style}"/><w:lvlText w:val="${['%1', '%1.%2'][level]}"/></w:lvl>`,
    );
    const numbering = `<w:abstractNum w:abstractNumId="1">${levels.join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
    const body = ['Heading1', 'Heading2', 'Mine'].map((style) => paragraph('x', `<w:pStyle w:val="${style}"/>`)).join('');
    expect(await linesOf({ styles, numbering, body })).toEqual(['# 1 x', '## 1.1 x', '## 1.2 x']);
  });

  test('may be defined by a style, and a circle of styles or lists ends', async () => {
    const styles = [
      '<w:style w:type="numbering" w:styleId="Steps"><w:name w:val="Steps"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
      '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>',
      '<w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>',
    ].join('');
    const linked =
      '<w:abstractNum w:abstractNumId="9"><w:numStyleLink w:val="Steps"/></w:abstractNum><w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num>';
    const body = `${listItem('x', 9)}${listItem('y', 1)}<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>z</w:t></w:r></w:p>`;
    expect(await linesOf({ styles, numbering: `${list(1, [['decimal', '%1.']])}${linked}`, body })).toEqual(['1. x', '2. y', 'z']);
  });
});
