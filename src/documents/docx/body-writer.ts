import type { Findings } from './findings.ts';
import { type Ground, InlineWriter } from './inline-writer.ts';
import { type Backdrop, PLAIN_LOOK, shadeOf, UNKNOWN_BACKDROP } from './look.ts';
import type { Notes } from './notes.ts';
import type { Numbering } from './numbering.ts';
import { RunWriter } from './run-writer.ts';
import { numberPlaceOf, type Styles } from './styles.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, childAt, elementsOf, holdsText, switchOf } from './xml-tree.ts';

export type BodyRules = {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly notes: Notes;
  readonly findings: Findings;
  /** What fields are made of, and do not show. */
  readonly instructions: ReadonlySet<XmlElement>;
  /** What the text is printed on. */
  readonly page: Backdrop;
};

/** Deepest level that mammoth makes a list of, and deepest heading of HTML. */
const DEEPEST_BULLET = 4;
const DEEPEST_HEADING = 6;
/** Word's tables have at most this many columns. */
const MOST_COLUMNS = 63;
/** Between the cells of a table that stands in a cell. */
const BETWEEN = '; ';

/**
 * Writes the body of a document anew for mammoth: what a reader sees, and nothing else. Equations become text, numbers of lists are
 * written out, notes and text boxes stand below their paragraph, what is deleted or hidden is gone; all of it is counted.
 */
export class BodyWriter {
  readonly #rules: BodyRules;
  readonly #inline: InlineWriter;
  readonly #out: string[] = [];
  /** What the words of the story, table or cell that is being written stand on. */
  #ground: Ground;
  #tableDepth = 0;
  /** Runs of a row of a table in a cell: it becomes one paragraph, because a table of data holds no other. */
  #nestedRow: string[] | null = null;
  #isWritingNotes = false;
  /** The first paragraph in the style "Title". */
  title: string | null = null;

  constructor(rules: BodyRules) {
    this.#rules = rules;
    this.#inline = new InlineWriter(rules);
    this.#ground = { look: PLAIN_LOOK, behind: rules.page };
  }

  /** Paragraphs, tables, and what holds them. `label` goes before the first paragraph's words. */
  write(holder: XmlElement, label = ''): void {
    let before = label;
    for (const element of elementsOf(holder)) {
      const { name } = element;
      if (name === 'w:p') {
        this.#paragraph(element, before);
        before = '';
      } else if (name === 'w:tbl') this.#table(element);
      else if (name === 'm:oMath' || name === 'm:oMathPara') this.#equation(element);
      else if (name === 'w:altChunk') this.#rules.findings.objects += 1;
      else if (!this.#inline.isDeleted(element) && !name.endsWith('Pr')) this.write(element, before);
    }
  }

  xml(): string {
    return this.#out.join('');
  }

  #paragraph(element: XmlElement, label: string): void {
    const { styles } = this.#rules;
    const properties = childAt(element, 'w:pPr');
    const styleId = attributeOf(childAt(properties, 'w:pStyle'));
    // Its mark is deleted: in force, the next paragraph continues it.
    const isJoined = childAt(properties, 'w:rPr', 'w:del') !== null;
    const mark = isJoined ? null : this.#rules.numbering.next(styleId, numberPlaceOf(properties));
    const sink = { runs: new RunWriter(), boxes: [] as XmlElement[] };
    this.#inline.paragraph(element, this.#groundOf(styleId, properties), sink);
    if (sink.runs.hasText) {
      // A table that holds headings is taken for layout, and falls apart.
      const level = this.#tableDepth > 0 ? null : styles.headingLevel(styleId, properties);
      const before = `${label}${mark?.kind === 'number' ? `${mark.text} ` : ''}`;
      const bullet = mark?.kind === 'bullet' ? mark.level : null;
      this.#push(paragraphProperties({ level, bullet, isJoined }), `${prefixRun(before)}${sink.runs.finish()}`);
      if (this.title === null && styles.isTitle(styleId)) this.title = sink.runs.words();
    }
    // What a shape is filled with is not read.
    for (const box of sink.boxes) this.#on({ look: PLAIN_LOOK, behind: UNKNOWN_BACKDROP }, () => this.write(box));
    if (this.#tableDepth === 0) this.#writeNotes();
  }

  #groundOf(styleId: string | null, properties: XmlElement | null): Ground {
    const { styles } = this.#rules;
    const { look, behind } = this.#ground;
    return { look: styles.paragraphLook(styleId, look), behind: shadeOf(properties) ?? styles.shade(styleId) ?? behind };
  }

  #on(ground: Ground, write: () => void): void {
    const outer = this.#ground;
    this.#ground = ground;
    write();
    this.#ground = outer;
  }

  #push(properties: string, runs: string): void {
    if (this.#nestedRow === null) this.#out.push('<w:p>', properties, runs, '</w:p>');
    else this.#nestedRow.push(runs);
  }

  /** An equation between the paragraphs. */
  #equation(element: XmlElement): void {
    const runs = new RunWriter();
    this.#inline.equation(element, this.#ground, runs);
    if (runs.hasText) this.#push('', runs.finish());
  }

  /** Notes may cite notes: those come after, in a loop, because a chain of them may be longer than the stack of calls. */
  #writeNotes(): void {
    if (this.#isWritingNotes) return;
    this.#isWritingNotes = true;
    for (let notes = this.#rules.notes.takeWaiting(); notes.length > 0; notes = this.#rules.notes.takeWaiting()) {
      for (const { label, element } of notes) {
        this.#on({ look: PLAIN_LOOK, behind: this.#rules.page }, () => this.write(element, `${label} `));
      }
    }
    this.#isWritingNotes = false;
  }

  #table(element: XmlElement): void {
    const { styles } = this.#rules;
    const properties = childAt(element, 'w:tblPr');
    const styleId = attributeOf(childAt(properties, 'w:tblStyle'));
    const behind = shadeOf(properties) ?? styles.tableShade(styleId) ?? this.#ground.behind;
    const rows = membersOf(element, 'w:tr').filter((row) => this.#isShown(row));
    const headed = attributeOf(childAt(properties, 'w:tblLook'), 'w:firstRow') === '1' && rows.length > 1;
    this.#on({ look: styles.look(styleId), behind }, () => {
      if (this.#tableDepth > 0) this.#nestedTable(rows);
      else if (this.#isLayout(rows)) this.#unwrapped(rows);
      else this.#dataTable(rows, headed);
    });
    if (this.#tableDepth === 0) this.#writeNotes();
  }

  #dataTable(rows: readonly XmlElement[], headed: boolean): void {
    this.#tableDepth += 1;
    this.#out.push('<w:tbl>');
    for (const [index, row] of rows.entries()) this.#row(row, headed && index === 0);
    this.#out.push('</w:tbl>');
    this.#tableDepth -= 1;
  }

  #nestedTable(rows: readonly XmlElement[]): void {
    for (const row of rows) {
      const outer = this.#nestedRow;
      const runs = outer ?? [];
      this.#nestedRow = runs;
      for (const cell of membersOf(row, 'w:tc')) this.#cellText(cell);
      this.#nestedRow = outer;
      if (outer === null && runs.length > 0) this.#push('', runs.join(prefixRun(BETWEEN)));
    }
  }

  /** A frame around headings or tables, one cell wide, says nothing. */
  #isLayout(rows: readonly XmlElement[]): boolean {
    const cells = rows.map((row) => membersOf(row, 'w:tc'));
    return cells.every((row) => row.length <= 1) && cells.flat().some((cell) => this.#holdsParts(cell));
  }

  #holdsParts(cell: XmlElement): boolean {
    if (cell.name === 'w:tbl') return true;
    if (cell.name !== 'w:p') return elementsOf(cell).some((child) => this.#holdsParts(child));
    const properties = childAt(cell, 'w:pPr');
    return this.#rules.styles.headingLevel(attributeOf(childAt(properties, 'w:pStyle')), properties) !== null;
  }

  #unwrapped(rows: readonly XmlElement[]): void {
    for (const cell of rows.flatMap((row) => membersOf(row, 'w:tc'))) this.#cellText(cell);
  }

  #isShown(row: XmlElement): boolean {
    const properties = childAt(row, 'w:trPr');
    const isDeleted = childAt(properties, 'w:del') !== null;
    const isHidden = switchOf(childAt(properties, 'w:hidden')) === true;
    if (holdsText(row) && isDeleted) this.#rules.findings.deleted += 1;
    else if (holdsText(row) && isHidden) this.#rules.findings.hidden += 1;
    return !isDeleted && !isHidden;
  }

  #row(row: XmlElement, isFirst: boolean): void {
    const properties = childAt(row, 'w:trPr');
    const isHeader = isFirst || switchOf(childAt(properties, 'w:tblHeader')) === true;
    const skipped = spanOf(attributeOf(childAt(properties, 'w:gridBefore'))) ?? 0;
    this.#out.push(`<w:tr>${isHeader ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}`, '<w:tc><w:p/></w:tc>'.repeat(skipped));
    for (const cell of membersOf(row, 'w:tc')) this.#cell(cell);
    this.#out.push('</w:tr>');
  }

  #cell(cell: XmlElement): void {
    const span = spanOf(attributeOf(childAt(cell, 'w:tcPr', 'w:gridSpan')));
    this.#out.push(`<w:tc>${span === null ? '' : `<w:tcPr><w:gridSpan w:val="${span}"/></w:tcPr>`}`);
    this.#cellText(cell);
    this.#out.push('<w:p/></w:tc>');
  }

  /** Nothing of a cell that continues the one above, or is deleted; it stays, so that the columns of the row keep their places. */
  #cellText(cell: XmlElement): void {
    const properties = childAt(cell, 'w:tcPr');
    const merge = childAt(properties, 'w:vMerge');
    const isDeleted = childAt(properties, 'w:cellDel') !== null;
    const continues = merge !== null && attributeOf(merge) !== 'restart';
    if (!isDeleted && !continues) {
      this.#on({ ...this.#ground, behind: shadeOf(properties) ?? this.#ground.behind }, () => this.write(cell));
    } else if (holdsText(cell)) this.#rules.findings[isDeleted ? 'deleted' : 'hidden'] += 1;
  }
}

function spanOf(value: string | null): number | null {
  return value !== null && /^[1-9]\d?$/.test(value) ? Math.min(Number(value), MOST_COLUMNS) : null;
}

/** Rows of a table or cells of a row, also those inside content controls and revisions. */
function membersOf(holder: XmlElement, name: string): readonly XmlElement[] {
  return elementsOf(holder).flatMap((child) => {
    if (child.name === name) return [child];
    return child.name.endsWith('Pr') || child.name === 'w:del' || child.name === 'w:moveFrom' ? [] : membersOf(child, name);
  });
}

function prefixRun(text: string): string {
  if (text === '') return '';
  const runs = new RunWriter();
  runs.text(text, PLAIN_LOOK);
  return runs.finish();
}

function paragraphProperties(of: { readonly level: number | null; readonly bullet: number | null; readonly isJoined: boolean }): string {
  const heading = of.level === null ? '' : `<w:pStyle w:val="Heading${Math.min(of.level, DEEPEST_HEADING)}"/>`;
  const bullet =
    of.bullet === null ? '' : `<w:numPr><w:ilvl w:val="${Math.min(of.bullet, DEEPEST_BULLET)}"/><w:numId w:val="1"/></w:numPr>`;
  const joined = of.isJoined ? '<w:rPr><w:del/></w:rPr>' : '';
  return heading + bullet + joined === '' ? '' : `<w:pPr>${heading}${bullet}${joined}</w:pPr>`;
}
