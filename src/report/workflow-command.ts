import { oneLine } from '../domain/hostile-text.ts';

export type WorkflowCommand = 'error' | 'warning' | 'notice' | 'group' | 'endgroup';

/** What an annotation points to; what is absent is left out. */
export type WorkflowProperties = {
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  readonly title?: string | undefined;
};

const LONGEST = 1000;
const LINES_KEPT = 20;
/** Looked at of one line, in UTF-16 units: what is longer is no remark. */
const UNITS_READ = 4000;

/**
 * One line that a workflow of GitHub Actions obeys, and no other one: foreign text in it starts no second command, no line and no
 * property. A message may have lines; everything else that does not print is taken out of it.
 */
export function workflowCommand(kind: WorkflowCommand, properties: WorkflowProperties, message: string): string {
  const { file, line, title } = properties;
  const named = [
    ...(file === undefined ? [] : [`file=${escapedProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(title === undefined ? [] : [`title=${escapedProperty(title)}`]),
  ];
  return `::${kind}${named.length === 0 ? '' : ` ${named.join(',')}`}::${escapedMessage(message)}`;
}

function escapedMessage(message: string): string {
  const lines = message.split(/\r\n|\r|\n/, LINES_KEPT).map(printable);
  return escapedData(lines.join('\n'));
}

function printable(line: string): string {
  return oneLine(line.slice(0, UNITS_READ), LONGEST);
}

/** A property ends at a comma or a colon, and has one line. */
function escapedProperty(text: string): string {
  return escapedData(printable(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The per cent sign first, because it is what the others become. */
function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
