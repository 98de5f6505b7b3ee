import { describe, expect, test } from 'vitest';
import { math, mathRun, paragraph, run, table } from '../../../fixtures/make/docx-file.ts';
import { linesOf, read } from './read.ts';

const WHITE = '<w:color w:val="FFFFFF"/>';
const SHOWN = paragraph('Shown.');

function mark(type: string): string {
  return `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
}

function instruction(words: string): string {
  return `<w:r><w:instrText>${words}</w:instrText></w:r>`;
}

function style(type: string, id: string, inside: string, more = ''): string {
  return `<w:style w:type="${type}" w:styleId="${id}" ${more}><w:name w:val="${id}"/>${inside}</w:style>`;
}

describe('words that a reader of a Word file does not see are left out and said', () => {
  test.each([
    ['white on paper', run('SECRET', WHITE)],
    ['almost white', run('SECRET', '<w:color w:val="F8F8F8"/>')],
    ['in the colour of its own shading', run('SECRET', '<w:color w:val="1F3864"/><w:shd w:val="clear" w:fill="1F3864"/>')],
    ['black on a black highlight', run('SECRET', '<w:color w:val="000000"/><w:highlight w:val="black"/>')],
    ['smaller than 2 pt', run('SECRET', '<w:sz w:val="3"/>')],
    ['squeezed to nothing', run('SECRET', '<w:w w:val="1"/>')],
    ['always hidden', run('SECRET', '<w:specVanish/>')],
    ['in an equation of hidden words', math(`<m:r><w:rPr><w:vanish/></w:rPr><m:t>SECRET</m:t></m:r>${mathRun('x')}`)],
  ])('%s', async (_, secret) => {
    const { text } = await read({ body: SHOWN + paragraph(secret) });
    expect(text.replace('\n\nx', '')).toBe('Shown.');
  });

  test('in the style of paragraphs that name none, or by the defaults of the document', async () => {
    const body = paragraph('SECRET') + paragraph(run('Shown.', '<w:vanish w:val="0"/>'));
    const hidden = '<w:rPr><w:vanish/></w:rPr>';
    for (const styles of [
      style('paragraph', 'Normal', hidden, 'w:default="1"'),
      `<w:docDefaults><w:rPrDefault>${hidden}</w:rPrDefault></w:docDefaults>`,
    ]) {
      const content = await read({ styles, body });
      expect(content.text).toBe('Shown.');
      expect(content.warnings).toEqual(['hidden text left out (1 passage)']);
    }
  });

  test('in the style of a table', async () => {
    const styles = style('table', 'T', '<w:rPr><w:vanish/></w:rPr>');
    const properties = '<w:tblPr><w:tblStyle w:val="T"/></w:tblPr>';
    const shown = paragraph(run('Shown.', '<w:vanish w:val="0"/>'));
    expect(await linesOf({ styles, body: table([[shown, 'SECRET']], properties) })).toEqual(['Shown. |']);
  });

  test('between the beginning of a field and its result, other fields in it too', async () => {
    const inner = `${mark('begin')}${instruction('MERGEFIELD x')}${mark('separate')}${run('SECRET result')}${mark('end')}`;
    const body =
      paragraph(
        `${run('Sum: ')}${mark('begin')}${instruction('IF ')}${inner}${run('SECRET')}${mark('separate')}${run('5 V')}${mark('end')}`,
      ) +
      paragraph(`${run('Mark')}${mark('begin')}${instruction('XE "a"')}${run('SECRET')}${mark('end')}${run('.')}`) +
      paragraph(`${mark('begin')}${instruction('TOC')}${run('SECRET')}`) +
      paragraph(`${run('SECRET')}${mark('separate')}${run('One')}`) +
      paragraph(`${run('Two')}${mark('end')}${run(' behind')}`);
    const content = await read({ body });
    expect(content.text.split('\n').filter((line) => line !== '')).toEqual(['Sum: 5 V', 'Mark.', 'One', 'Two behind']);
    expect(content.warnings.join()).toMatch(/^hidden text left out \(\d passages\)$/);
  });

  test('in cells that continue the one above, or are deleted', async () => {
    const cell = (properties: string) => `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph('SECRET')}</w:tc>`;
    const rows = `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc>${cell('<w:vMerge/>')}${cell('<w:cellDel w:id="1"/>')}</w:tr></w:tbl>`;
    const content = await read({ body: rows });
    expect(content.text).not.toContain('SECRET');
    expect(content.warnings).toEqual(['deleted revisions left out (1 passage)', 'hidden text left out (1 passage)']);
  });
});

describe('words that a reader of a Word file sees stay', () => {
  const shaded = '<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>';
  const white = paragraph(run('Seen', WHITE));

  test.each([
    ['white on shading of the run', paragraph(run('Seen', WHITE + shaded))],
    ['white on a highlight', paragraph(run('Seen', `${WHITE}<w:highlight w:val="darkBlue"/>`))],
    ['white on a shaded paragraph', paragraph(run('Seen', WHITE), shaded)],
    ['white in a shaded cell', `<w:tbl><w:tr><w:tc><w:tcPr>${shaded}</w:tcPr>${white}</w:tc></w:tr></w:tbl>`],
    ['white in a table of a shaded style', table([[white]], '<w:tblPr><w:tblStyle w:val="Grid"/></w:tblPr>')],
    ['of no colour on black', paragraph(run('Seen', '<w:color w:val="auto"/><w:highlight w:val="black"/>'))],
    ['grey', paragraph(run('Seen', '<w:color w:val="BFBFBF"/>'))],
    ['hidden in web pages only', paragraph(run('Seen', '<w:webHidden/>'))],
    [
      'white over a drawing behind the text',
      `${white}<w:p><w:r><w:drawing><wp:anchor behindDoc="1"><pic:pic/></wp:anchor></w:drawing></w:r></w:p>`,
    ],
    ['behind the beginning of a field that never ends', paragraph(`${mark('begin')}${instruction('REF')}${run('Seen')}`)],
    ['behind the end of a field that never began', paragraph(`${mark('separate')}${mark('end')}${run('Seen')}`)],
  ])('%s', async (_, body) => {
    const styles = style('table', 'Grid', `<w:tblStylePr w:type="firstRow"><w:tcPr>${shaded}</w:tcPr></w:tblStylePr>`);
    expect(await linesOf({ styles, body })).toEqual(['Seen']);
  });

  test('in capitals where they are printed so', async () => {
    const styles = style('character', 'Loud', '<w:rPr><w:caps/></w:rPr>');
    const body = paragraph(
      `${run('It ')}${run('must not', '<w:caps/>')}${run(' fail, ', '<w:smallCaps/>')}${run('straße', '<w:rStyle w:val="Loud"/>')}`,
    );
    expect(await linesOf({ styles, body })).toEqual(['It MUST NOT fail, STRAßE']);
  });

  test('in WordArt and in shapes without a text box', async () => {
    const art = '<w:r><w:pict><v:shape><v:textpath string="Danger: 400 V"/></v:shape></w:pict></w:r>';
    const shape =
      '<w:r><w:drawing><a:graphic><a:p><a:r><a:t>Keep </a:t></a:r><a:r><a:t>out</a:t></a:r></a:p></a:graphic></w:drawing></w:r>';
    const content = await read({ body: paragraph(`${run('Before')}${art}${shape}${run(' after')}`) });
    expect(content.text).toBe('Before after\n\nDanger: 400 V\n\nKeep out');
    expect(content.warnings).toEqual(['text boxes placed below the paragraph that holds them (2)']);
  });

  test('as the mark of a note, which is then not counted', async () => {
    const custom = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t></w:r>';
    const body = paragraph(`${run('One')}${custom}${run(' two')}<w:r><w:footnoteReference w:id="3"/></w:r>`);
    const footnotes = `<w:footnote w:id="2">${paragraph('Custom.')}</w:footnote><w:footnote w:id="3">${paragraph('Numbered.')}</w:footnote>`;
    expect(await linesOf({ body, footnotes })).toEqual(['One[*] two[1]', '[*] Custom.', '[1] Numbered.']);
  });
});
