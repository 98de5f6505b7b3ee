import { chosenBranch } from './alternate-content.ts';
import { drawnText } from './drawn-text.ts';
import { equationText } from './equation.ts';
import type { Findings } from './findings.ts';
import { type Backdrop, isUnseen, type Look, laidOver, lookOf } from './look.ts';
import type { NoteKind, Notes } from './notes.ts';
import type { RunWriter } from './run-writer.ts';
import type { Styles } from './styles.ts';
import type { XmlElement } from './xml.ts';
import { allNamed, attributeOf, childAt, elementsOf, holdsText, isOn, switchOf, textOf } from './xml-tree.ts';

/** Where the inside of one paragraph goes: its runs, and the text boxes that hang on it. */
export type ParagraphSink = { readonly runs: RunWriter; readonly boxes: XmlElement[] };

/** How words look there, and on what. */
export type Ground = { readonly look: Look; readonly behind: Backdrop };

type Place = Ground & { readonly sink: ParagraphSink };

/** Drawings of all kinds: what they show is not text, but they may hold text boxes. */
const DRAWINGS: ReadonlySet<string> = new Set(['w:drawing', 'w:pict', 'w:object']);
const DELETED: ReadonlySet<string> = new Set(['w:del', 'w:moveFrom']);
const INSERTED: ReadonlySet<string> = new Set(['w:ins', 'w:moveTo']);
const NOT_SHOWN: ReadonlySet<string> = new Set(['w:instrText', 'w:delText', 'w:delInstrText']);

export type InlineRules = {
  readonly styles: Styles;
  readonly notes: Notes;
  readonly findings: Findings;
  /** What fields are made of, and do not show. */
  readonly instructions: ReadonlySet<XmlElement>;
};

/** Writes what stands inside paragraphs, and counts what it leaves out. */
export class InlineWriter {
  readonly #styles: Styles;
  readonly #notes: Notes;
  readonly #findings: Findings;
  readonly #instructions: ReadonlySet<XmlElement>;
  /** Why the last words were left out: Word cuts one passage into many runs. */
  #leaving: 'deleted' | 'hidden' | null = null;
  /** Whether the last words were inserted, and whether those being written are. */
  #isInserting = false;
  #isInsideInsertion = false;

  constructor(rules: InlineRules) {
    this.#styles = rules.styles;
    this.#notes = rules.notes;
    this.#findings = rules.findings;
    this.#instructions = rules.instructions;
  }

  /** All children of a paragraph. */
  paragraph(element: XmlElement, ground: Ground, sink: ParagraphSink): void {
    this.#leaving = null;
    this.#isInserting = false;
    this.#children(element, { ...ground, sink });
  }

  /** Whether the element is a revision that is not in force; it is counted. */
  isDeleted(element: XmlElement): boolean {
    if (!DELETED.has(element.name)) return false;
    this.#leave('deleted', element);
    return true;
  }

  equation(element: XmlElement, ground: Ground, runs: RunWriter): void {
    const isHidden = isUnseen(ground.look, ground.behind);
    const text = isHidden ? '' : equationText(element);
    if (isHidden) this.#leave('hidden', element);
    if (text === '') return;
    this.#findings.equations += 1;
    this.#text(text, { ...ground, sink: { runs, boxes: [] } });
  }

  #children(element: XmlElement, place: Place): void {
    for (const child of elementsOf(element)) this.#write(child, place);
  }

  #write(element: XmlElement, place: Place): void {
    const { name } = element;
    if (this.#instructions.has(element)) this.#leave('hidden', element);
    else if (name === 'w:r') this.#run(element, place);
    else if (name === 'w:t') this.#text(shownLetters(textOf(element), place.look), place);
    else if (this.isDeleted(element) || NOT_SHOWN.has(name) || name.endsWith('Pr')) return;
    else if (INSERTED.has(name)) this.#inserted(element, place);
    else if (name === 'm:oMath') this.equation(element, place, place.sink.runs);
    else if (name === 'm:oMathPara') this.#displayed(element, place);
    else if (name === 'mc:AlternateContent') this.#children(chosenBranch(element), place);
    else if (DRAWINGS.has(name)) this.#drawing(element, place);
    else this.#sign(element, place);
  }

  #run(element: XmlElement, place: Place): void {
    const properties = childAt(element, 'w:rPr');
    const styled = laidOver(this.#styles.look(attributeOf(childAt(properties, 'w:rStyle'))), place.look);
    const look = laidOver(lookOf(properties), styled);
    if (isUnseen(look, place.behind)) this.#leave('hidden', element);
    else if (!this.#markedNote(element, { ...place, look })) this.#children(element, { ...place, look });
  }

  /** A note whose mark is no number but stands behind it in the run: mark and words are one. */
  #markedNote(run: XmlElement, place: Place): boolean {
    const reference = elementsOf(run).find((child) => isOn(attributeOf(child, 'w:customMarkFollows')));
    if (reference === undefined || this.#instructions.has(reference)) return false;
    const mark = elementsOf(run, 'w:t').map(textOf).join('').trim();
    this.#note(reference, place, mark === '' ? '*' : mark);
    return true;
  }

  #note(reference: XmlElement, place: Place, ownMark: string | null): void {
    const kind: NoteKind = reference.name === 'w:footnoteReference' ? 'footnote' : 'endnote';
    const label = this.#notes.cite(kind, attributeOf(reference, 'w:id') ?? '', ownMark);
    this.#text(label, { ...place, look: { ...place.look, raised: null } });
  }

  #text(value: string, { look, sink }: Pick<Place, 'look' | 'sink'>): void {
    if (value.trim() !== '') {
      this.#leaving = null;
      if (!this.#isInsideInsertion) this.#isInserting = false;
    }
    sink.runs.text(value, look);
  }

  #inserted(element: XmlElement, place: Place): void {
    if (!this.#isInserting && holdsText(element)) {
      this.#findings.inserted += 1;
      this.#isInserting = true;
    }
    const outer = this.#isInsideInsertion;
    this.#isInsideInsertion = true;
    this.#children(element, place);
    this.#isInsideInsertion = outer;
  }

  #leave(kind: 'deleted' | 'hidden', element: XmlElement): void {
    if (!holdsText(element)) return;
    if (this.#leaving !== kind) this.#findings[kind] += 1;
    this.#leaving = kind;
  }

  /** Equations that stand apart, each on its line. */
  #displayed(element: XmlElement, place: Place): void {
    for (const equation of allNamed(element, 'm:oMath')) {
      if (place.sink.runs.hasText) place.sink.runs.lineBreak(place.look);
      this.equation(equation, place, place.sink.runs);
    }
    place.sink.runs.lineBreak(place.look);
  }

  #drawing(element: XmlElement, { sink }: Place): void {
    const boxes = drawnText(element);
    this.#findings.textBoxes += boxes.length;
    sink.boxes.push(...boxes);
    const count = (name: string) => allNamed(element, name).length;
    this.#findings.charts += count('c:chart') + count('dgm:relIds');
    if (element.name === 'w:object') this.#findings.objects += 1;
    else this.#findings.images += count('pic:pic') + count('v:imagedata');
  }

  /** What stands for a character or a break; else what the element holds. */
  #sign(element: XmlElement, place: Place): void {
    const { look, sink } = place;
    switch (element.name) {
      case 'w:br':
      case 'w:cr':
        sink.runs.lineBreak(look);
        break;
      case 'w:tab':
      case 'w:ptab':
        sink.runs.text('\t', look);
        break;
      case 'w:noBreakHyphen':
        this.#text('\u2011', place);
        break;
      case 'w:softHyphen':
        sink.runs.text('\u00ad', look);
        break;
      case 'w:sym':
        sink.runs.symbol(attributeOf(element, 'w:font') ?? '', attributeOf(element, 'w:char') ?? '', look);
        break;
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.#note(element, place, null);
        break;
      case 'w:fldChar':
        this.#text(checkboxOf(element), place);
        break;
      case 'w:ruby':
        this.#ruby(element, place);
        break;
      default:
        this.#children(element, place);
        break;
    }
  }

  /** The reading of characters, which stands small above them, behind them in parentheses. */
  #ruby(element: XmlElement, place: Place): void {
    const base = childAt(element, 'w:rubyBase');
    const reading = childAt(element, 'w:rt');
    if (base !== null) this.#children(base, place);
    if (reading === null || !holdsText(reading)) return;
    this.#text('(', place);
    this.#children(reading, place);
    this.#text(')', place);
  }
}

/** The letters as they are printed: Word keeps those of "MUST" small where the look makes them capitals. */
function shownLetters(text: string, { caps }: Look): string {
  if (caps !== true) return text;
  return text.replace(/\p{Ll}/gu, (letter) => (letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter));
}

/** The box of a form as a character; nothing for other fields. */
function checkboxOf(field: XmlElement): string {
  const box = childAt(field, 'w:ffData', 'w:checkBox');
  if (box === null) return '';
  return (switchOf(childAt(box, 'w:checked')) ?? switchOf(childAt(box, 'w:default')) ?? false) ? '☒' : '☐';
}
