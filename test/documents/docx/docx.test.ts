import { describe, expect, test } from 'vitest';
import { heading, list, listItem, numberProperties, paragraph, run, table } from '../../../fixtures/make/docx-file.ts';
import { linesOf, read } from './read.ts';

const BULLETS = list(1, [
  ['bullet', '•'],
  ['bullet', 'o'],
]);
const SECTIONS = list(2, [
  ['decimal', '%1'],
  ['decimal', '%1.%2'],
  ['lowerLetter', '(%3)'],
]);

describe('a Word file', () => {
  test('gives headings, paragraphs, lists and tables', async () => {
    const content = await read({
      title: 'Pump controller',
      numbering: BULLETS,
      body: [
        heading('Scope', 1),
        paragraph('The pump shall stop within 2 s.'),
        listItem('door open', 1),
        listItem('motor hot', 1),
        heading('Limits', 2),
        table([
          ['Limit', 'Value'],
          ['Temperature', '85 °C'],
        ]),
      ].join(''),
    });
    expect(
      content.text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.replace(/^[-•] /, '')),
    ).toEqual([
      '# Scope',
      'The pump shall stop within 2 s.',
      'door open',
      'motor hot',
      '## Limits',
      'Limit | Value',
      'Temperature | 85 °C',
    ]);
    expect(content.title).toBe('Pump controller');
    expect(content.format).toBe('docx');
    expect(content.pages).toEqual([]);
    expect(content.sections.map(({ title, level }) => [title, level])).toEqual([
      ['Scope', 1],
      ['Limits', 2],
    ]);
    expect(content.warnings).toEqual([]);
  });

  test('has as line number that of the paragraph or table row', async () => {
    const content = await read({
      body: [
        paragraph('First.'),
        paragraph(''),
        paragraph(
          `${run('Second, ')}<w:r><w:br/></w:r>${run('still second, ')}<w:r><w:br/><w:br/></w:r>${run('still.')}<w:r><w:br/></w:r>`,
        ),
        table([
          ['Third', 'row'],
          ['Fourth', 'row'],
        ]),
        paragraph('Fifth.'),
      ].join(''),
    });
    expect(content.text).not.toContain('\ufdd0');
    const numbered = content.lines.start.map((start, index) => {
      const line = content.text.slice(start, content.lines.start[index + 1] ?? content.text.length).trim();
      return line === '' ? null : `${content.lines.number[index]} ${line}`;
    });
    expect(numbered.filter((line) => line !== null)).toEqual([
      '1 First.',
      '2 Second,',
      '2 still second,',
      '2 still.',
      '3 Third | row',
      '4 Fourth | row',
      '5 Fifth.',
    ]);
  });

  test('keeps raised and lowered text apart from what it stands beside, and curly quotes as they are', async () => {
    const raised = run('5', '<w:vertAlign w:val="superscript"/>');
    const lowered = run('2', '<w:vertAlign w:val="subscript"/>');
    expect(await linesOf(paragraph(`${run('2')}${raised}${run(' cells, CO')}${lowered}${run(' and “it’s”')}`))).toEqual([
      '2^5 cells, CO_2 and “it’s”',
    ]);
  });

  test('takes a style that inherits from a heading, or has an outline level, for a heading', async () => {
    const styles = [
      '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>',
      '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift1"/></w:style>',
      '<w:style w:type="paragraph" w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>',
      '<w:style w:type="paragraph" w:styleId="Body"><w:name w:val="Text"/><w:basedOn w:val="Own"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>',
    ].join('');
    const body = [
      paragraph('Ziele', '<w:pStyle w:val="berschrift1"/>'),
      paragraph('Eigenes', '<w:pStyle w:val="Own"/>'),
      paragraph('Tiefer', '<w:pStyle w:val="Deep"/>'),
      paragraph('Text', '<w:pStyle w:val="Body"/>'),
    ].join('');
    expect(await linesOf({ styles, body })).toEqual(['# Ziele', '# Eigenes', '## Tiefer', 'Text']);
  });

  test('writes out the numbers of headings and lists, which Word only counts', async () => {
    const styles = [1, 2]
      .map(
        (level) =>
          `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:pPr>${numberProperties(2, level - 1)}</w:pPr></w:style>`,
      )
      .join('');
    const body = [
      heading('Scope', 1),
      heading('Terms', 2),
      heading('Limits', 2),
      listItem('hot', 2, 2),
      listItem('cold', 2, 2),
      heading('Tests', 1),
      heading('Bench', 2),
    ];
    const content = await read({ styles, numbering: SECTIONS, body: body.join('') });
    expect(content.text.split('\n').filter((line) => line !== '')).toEqual([
      '# 1 Scope',
      '## 1.1 Terms',
      '## 1.2 Limits',
      '(a) hot',
      '(b) cold',
      '# 2 Tests',
      '## 2.1 Bench',
    ]);
    expect(content.sections[2]?.title).toBe('1.2 Limits');
  });

  test('knows its tables as blocks, with the header row that Word repeats or sets apart', async () => {
    const look = '<w:tblPr><w:tblLook w:firstRow="1"/></w:tblPr>';
    const rows = [
      ['Limit', 'Value'],
      ['Heat', '85 °C'],
    ];
    const repeated = table(rows).replace('<w:tr>', '<w:tr><w:trPr><w:tblHeader/></w:trPr>');
    const broken = `<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>`;
    const { text, blocks } = await read({
      body: `${paragraph(broken)}${table(rows, look)}${paragraph('x')}${repeated}${paragraph('y')}${table(rows)}`,
    });
    const shown = blocks.map(({ start, end, headerEnd }) => [
      text.slice(start, headerEnd ?? start).trim(),
      text.slice(headerEnd ?? start, end).trim(),
    ]);
    expect(shown).toEqual([
      ['Limit | Value', 'Heat | 85 °C'],
      ['Limit | Value', 'Heat | 85 °C'],
      ['', 'Limit | Value\nHeat | 85 °C'],
    ]);
  });

  test('keeps the place of a merged cell in its row', async () => {
    const merged = (value: string, text: string) => `<w:tc><w:tcPr><w:vMerge${value}/></w:tcPr>${paragraph(text)}</w:tc>`;
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const rows = [`${merged(' w:val="restart"', 'Pump')}${cell('on')}${cell('2 s')}`, `${merged('', '')}${cell('off')}${cell('5 s')}`];
    const [first, second] = await linesOf(`<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`);
    expect(first).toBe('Pump | on | 2 s');
    expect(second?.split('|').map((each) => each.trim())).toEqual(['', 'off', '5 s']);
  });

  test('without a title in its properties has that of its title paragraph, else of its first heading', async () => {
    const title = paragraph('User manual', '<w:pStyle w:val="Title"/>');
    expect((await read({ body: `${title}${heading('Start', 1)}` })).title).toBe('User manual');
    expect((await read({ body: `${paragraph('By us')}${heading('Start', 1)}` })).title).toBe('Start');
    expect((await read({ body: paragraph('By us') })).title).toBeNull();
  });

  test('has no heading where a title inherits from the style "Heading", as LibreOffice writes it', async () => {
    const styles =
      '<w:style w:styleId="Heading"><w:name w:val="Heading"/></w:style><w:style w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Heading"/></w:style>';
    const body = `${paragraph('Manual', '<w:pStyle w:val="Title"/>')}${paragraph('Start', '<w:pStyle w:val="Heading"/>')}`;
    expect(await linesOf({ styles, body })).toEqual(['Manual', '# Start']);
  });

  test('may use other prefixes than Word does', async () => {
    const documentXml =
      '<x:document xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:body><x:p><x:r><x:t>Hello &amp; &#x201C;you&#8221;</x:t></x:r></x:p></x:body></x:document>';
    expect(await linesOf({ body: '', documentXml })).toEqual(['Hello & “you”']);
    expect(await linesOf({ body: '', documentXml: Buffer.from(`\ufeff${documentXml}`, 'utf16le') })).toEqual(['Hello & “you”']);
  });
});
