import { listNumber } from './list-number.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, elementsOf } from './xml-tree.ts';

export type NoteKind = 'footnote' | 'endnote';

/** A note and what stands for it in the text, such as `[1]`. */
export type Note = { readonly label: string; readonly element: XmlElement };

/** Numbers notes in the order in which they are cited, footnotes as 1, 2, 3, endnotes as i, ii, iii, and keeps those not yet written. */
export class Notes {
  readonly #byId: ReadonlyMap<string, XmlElement>;
  readonly #labels = new Map<string, string>();
  readonly #counts = { footnote: 0, endnote: 0 };
  #waiting: Note[] = [];

  constructor(footnotes: XmlElement | null, endnotes: XmlElement | null) {
    this.#byId = new Map([...keyed('footnote', footnotes), ...keyed('endnote', endnotes)]);
  }

  /** How many notes were cited and exist. */
  get cited(): number {
    return this.#labels.size;
  }

  /** The label of a note; in brackets, because a bare raised digit would read as an exponent. One with a mark of its own is not counted. */
  cite(kind: NoteKind, id: string, ownMark: string | null = null): string {
    const key = `${kind} ${id}`;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const label = `[${ownMark ?? this.#nextNumber(kind)}]`;
    this.#labels.set(key, label);
    const element = this.#byId.get(key);
    if (element !== undefined) this.#waiting.push({ label, element });
    return label;
  }

  #nextNumber(kind: NoteKind): string {
    this.#counts[kind] += 1;
    return listNumber(this.#counts[kind], kind === 'footnote' ? 'decimal' : 'lowerRoman');
  }

  /** The notes cited since the last call. */
  takeWaiting(): readonly Note[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

function keyed(kind: NoteKind, root: XmlElement | null): readonly (readonly [string, XmlElement])[] {
  return elementsOf(root, `w:${kind}`).map((note) => [`${kind} ${attributeOf(note, 'w:id') ?? ''}`, note] as const);
}
