import { type Annotation, annotationsOf, headlineAnnotation } from './annotations.ts';
import type { Summary } from './summary.ts';
import { workflowCommand } from './workflow-command.ts';

/** The file of a document as the code host knows it; `null`: it has none there. */
type FileOf = (documentId: string) => string | null;

const asNamed: FileOf = (documentId) => documentId;

/** The summary as commands of GitHub Actions, one a line: the headline as a notice, then what to see beside the documents. */
export function summaryCommands(summary: Summary, fileOf = asNamed): string {
  return [annotationCommand(headlineAnnotation(summary)), ...annotationCommands(summary, fileOf)].map((command) => `${command}\n`).join('');
}

/** What to see beside the documents, a command each; what is about a file that the code host does not know names none. */
export function annotationCommands(summary: Summary, fileOf: FileOf): string[] {
  return annotationsOf(summary).map(({ file: documentId, line, ...annotation }) => {
    const file = documentId === null ? null : fileOf(documentId);
    return annotationCommand({ ...annotation, file, line: file === null ? null : line });
  });
}

/** One annotation as a line for the log of a workflow. */
function annotationCommand({ level, file, line, title, message }: Annotation): string {
  return workflowCommand(level, { file: file ?? undefined, line: line ?? undefined, title }, message);
}
