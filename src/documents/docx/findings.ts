/** What a reader of the document must know about the text that was taken from it. Counts, but for the last two. */
export type Findings = {
  deleted: number;
  inserted: number;
  hidden: number;
  comments: number;
  notes: number;
  textBoxes: number;
  equations: number;
  images: number;
  charts: number;
  objects: number;
  /** What stands in heads and feet of pages. */
  readonly margins: Set<string>;
  readonly listFormats: Set<string>;
};

export function noFindings(): Findings {
  return {
    deleted: 0,
    inserted: 0,
    hidden: 0,
    comments: 0,
    notes: 0,
    textBoxes: 0,
    equations: 0,
    images: 0,
    charts: 0,
    objects: 0,
    margins: new Set(),
    listFormats: new Set(),
  };
}

const SHOWN_MARGINS = 3;
const SHOWN_LENGTH = 60;

/** One line for each kind of thing that was left out, moved or rewritten. */
export function findingWarnings(found: Findings): readonly string[] {
  const passages = (count: number) => `(${count} ${count === 1 ? 'passage' : 'passages'})`;
  const lines: (readonly [count: number, line: string])[] = [
    [found.deleted, `deleted revisions left out ${passages(found.deleted)}`],
    [found.inserted, `inserted revisions taken as text ${passages(found.inserted)}`],
    [found.hidden, `hidden text left out ${passages(found.hidden)}`],
    [found.comments, `comments left out (${found.comments})`],
    [found.margins.size, `page headers and footers left out: ${shown([...found.margins])}`],
    [found.notes, `notes placed below the paragraph or table that cites them (${found.notes})`],
    [found.textBoxes, `text boxes placed below the paragraph that holds them (${found.textBoxes})`],
    [found.equations, `equations written on one line, such as x^2 and a/b (${found.equations})`],
    [found.images, `images not read (${found.images})`],
    [found.charts, `charts and diagrams not read (${found.charts})`],
    [found.objects, `embedded objects not read (${found.objects})`],
    [found.listFormats.size, `list numbers written as digits, not as Word writes them: ${[...found.listFormats].join(', ')}`],
  ];
  return lines.flatMap(([count, line]) => (count === 0 ? [] : [line]));
}

function shown(texts: readonly string[]): string {
  const quoted = texts
    .slice(0, SHOWN_MARGINS)
    .map((text) => JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text));
  const more = texts.length - quoted.length;
  return `${quoted.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
