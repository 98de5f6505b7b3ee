/** Endings of files that a person may mean by a document and that can be read, without the dot; each may be followed by `.gz`. */
export const DOCUMENT_EXTENSIONS = ['md', 'markdown', 'txt', 'html', 'htm', 'xhtml', 'pdf', 'docx', 'adoc', 'asciidoc', 'tex'] as const;

/** The same of files that are documents and cannot be read: a person who put one beside others may believe that it is evaluated. */
const UNREADABLE_EXTENSIONS = ['doc', 'odt', 'rtf', 'epub', 'ps', 'pptx', 'xlsx'] as const;

const OF_A_DOCUMENT = new RegExp(`\\.(?:${[...DOCUMENT_EXTENSIONS, ...UNREADABLE_EXTENSIONS].join('|')})(?:\\.gz)?$`, 'i');

/** Whether a file's name ends as that of a document does, readable or not. */
export function isNamedAsDocument(name: string): boolean {
  return OF_A_DOCUMENT.test(name);
}
