import { lazy } from './lazy.ts';

/** Its tables take 20 ms to load. */
const graphemes = lazy(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** UTF-16 units that one grapheme may take on average: a stack of marks counts as one grapheme and could be endless. */
const UNITS_PER_GRAPHEME = 4;
/** What is looked at per grapheme asked for; the rest is markup, or longer than anyone reads. */
const LOOKED_AT_PER_GRAPHEME = 32;

/** CSI; then OSC, DCS, SOS, PM, APC with their terminator; then any other escape. Seven-bit and eight-bit forms. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
const LONE_SURROGATES = /\p{Cs}/gu;
const WHITE_SPACE_AND_CONTROLS = /[\p{Cc}\s]+/gu;
/** Zero-width, bidirectional, tag characters, variation selectors, soft hyphen, fillers; interlinear annotation. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
/** GitHub (`##[…]`), Azure (`##vso[…]`) and TeamCity read commands anywhere in a line of a build log. */
const CI_COMMAND = /##(?=\w*\[)/g;
/** What JSON.stringify lets through: eight-bit controls, line separators; and what nobody sees: zero-width, bidirectional, tag characters. */
const COMMANDS_IN_JSON = /[\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu;
/** GitHub reads `::name key=value::text` at the start of a line, blanks aside. */
const GITHUB_COMMAND = /^(\s*):(?=:[\w-]+(?: [^\n]*)?::)/;

/**
 * Text of a document, a model or a server as one line that a terminal, a log or a Markdown code span can hold: no control
 * characters, no escape sequences, nothing invisible, no opened HTML comment, no build-log command. White space is collapsed; at
 * most `maxGraphemes` graphemes remain, then an ellipsis. It may start with any printable character, so a caller that prints it
 * into a build log puts something of its own in front.
 */
export function oneLine(text: string, maxGraphemes = 160): string {
  const head = text.slice(0, maxGraphemes * LOOKED_AT_PER_GRAPHEME);
  const clean = disarmed(head.replace(/[\ud800-\udbff]$/, ''));
  return cut(head.length < text.length ? `${clean}…` : clean, maxGraphemes);
}

/** The comment step is last: what was removed before it may have stood inside `<!--`. */
function disarmed(text: string): string {
  return text
    .normalize('NFC')
    .replace(TERMINAL_SEQUENCES, '')
    .replace(LONE_SURROGATES, '\ufffd')
    .replace(INVISIBLE, '')
    .replace(WHITE_SPACE_AND_CONTROLS, ' ')
    .replace(STACKED_MARKS, '$1')
    .trim()
    .replace(CI_COMMAND, '＃#')
    .replaceAll('<!--', '‹!--');
}

/** A line of text, as it is but for what would make the log of a build service obey it: GitHub, Azure, TeamCity. */
export function withoutBuildCommands(line: string): string {
  return line.replace(CI_COMMAND, '＃#').replace(GITHUB_COMMAND, '$1：');
}

/** A record as one line of JSON that gives the same value to any parser and no command to a build log. */
export function jsonLine(record: object): string {
  return printableJson(JSON.stringify(record));
}

/** JSON text with escapes for what a terminal or a build log would obey, and for what reorders what is read: the same value to any parser. */
export function printableJson(json: string): string {
  // Neither stands in JSON anywhere but inside a string.
  return json.replace(CI_COMMAND, '\\u0023#').replace(COMMANDS_IN_JSON, escaped);
}

/** Both halves of what takes two. */
function escaped(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Each of these is a grapheme: nothing joins them, and to look for joints is what takes time. */
const PLAIN = /^[ -~\u00a0-\u02ff]*$/;

function cut(text: string, maxGraphemes: number): string {
  if (text.length <= maxGraphemes) return text;
  if (PLAIN.test(text)) return `${text.slice(0, maxGraphemes)}…`;
  let end = 0;
  let count = 0;
  for (const { segment } of graphemes().segment(text)) {
    if (count === maxGraphemes || end + segment.length > maxGraphemes * UNITS_PER_GRAPHEME) return `${text.slice(0, end)}…`;
    end += segment.length;
    count += 1;
  }
  return text;
}
