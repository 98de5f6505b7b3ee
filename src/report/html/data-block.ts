/** What ends or bends a script element, is a line end to JavaScript, or may not stand in an HTML file at all. Only strings of JSON hold these. */
const UNSAFE = /[<\u007f-\u009f\u2028\u2029\p{Noncharacter_Code_Point}]/gu;

/** A value as JSON that can stand in a script element: it can neither end the element nor open a comment in it. */
export function dataJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** An element of data with the given id. */
export function dataBlock(id: string, value: unknown): string {
  return `<script type="application/json" id="${id}">${dataJson(value)}</script>\n`;
}
