import { withoutBuildCommands } from '../../domain/hostile-text.ts';

const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
const CONTROLS = /\p{Cc}/gu;
/** What reorders what is read, or is not seen at all. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** Line ends to some readers, and to no terminal. */
const OTHER_LINE_ENDS = /[\u2028\u2029]/g;

/**
 * A prompt or an answer for a terminal or the log of a build: line breaks and tabs stay, and nothing is left that could command
 * either or reorder or hide what is read.
 */
export function manyLines(text: string): string {
  return (
    text
      .replace(SEQUENCES, '')
      .split(/\r\n|\r|\n/)
      // Last, because what is removed before it may have parted a command.
      .map((line) =>
        withoutBuildCommands(line.replaceAll('\t', '    ').replace(OTHER_LINE_ENDS, ' ').replace(CONTROLS, '').replace(UNSEEN, '')),
      )
      .join('\n')
  );
}
