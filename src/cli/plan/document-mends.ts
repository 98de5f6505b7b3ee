import type { FoundFile } from '../../documents/files/find-files.ts';
import { globOf } from '../../documents/files/unmatched-files.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { DocumentEntry } from '../../domain/manifest/resolved.ts';
import { advised } from '../../domain/next-step.ts';
import type { ReadDocument } from '../../engine/read-documents.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** A document without usable text: what is wrong with it, and what mends it, each line to be typed or pasted as it is. */
export type DocumentFault = { readonly documentId: string; readonly text: string; readonly next: readonly string[] };

const LONGEST_STEP = 1000;
/** A line of more exclusions is no longer pasted. */
const MOST_EXCLUDED = 5;

/** Those of the documents that cannot be asked; `files` are the same documents as their entries name them. */
export function documentFaults(documents: readonly ReadDocument[], files: readonly FoundFile[]): readonly DocumentFault[] {
  const fileOf = new Map(files.map((file) => [file.documentId, file]));
  const scans = documents.filter((document) => scanCommand(document) !== null).flatMap(({ documentId }) => fileOf.get(documentId) ?? []);
  return documents.flatMap((document) => {
    const { documentId, extraction } = document;
    if (extraction.ok) return [];
    const { what } = advised(extraction);
    const next = nextSteps(document, { file: fileOf.get(documentId), scans });
    return [{ documentId, text: `${documentId}: ${extraction.reason}: ${what}`, next: next.map((step) => oneLine(step, LONGEST_STEP)) }];
  });
}

type Placed = { readonly file: FoundFile | undefined; readonly scans: readonly FoundFile[] };

function nextSteps(document: ReadDocument, { file, scans }: Placed): string[] {
  const { extraction } = document;
  const next = extraction.ok ? null : advised(extraction).next;
  if (file === undefined || extraction.ok) return next === null ? [] : [next];
  if (extraction.password !== undefined && file.entry.passwordEnv === null) return passwordSteps(file);
  const command = scanCommand(document);
  if (command === null) return next === null ? [] : [next];
  return [...unpacking(file.path), command, inItsPlace(file, scans)];
}

/** The command that gives a scan a text. */
function scanCommand({ extraction }: ReadDocument): string | null {
  const next = extraction.ok ? null : advised(extraction).next;
  return next?.startsWith('ocrmypdf ') === true ? next : null;
}

/** What reads the pages of a scan takes no packed file. */
function unpacking(path: string): string[] {
  return /\.gz(?:ip)?$/i.test(path) ? [`gunzip --keep ${shellWord(path)}`] : [];
}

function passwordSteps({ documentId, entry }: FoundFile): string[] {
  const variable = variableFor(documentId);
  const { id, format, charset } = entry;
  const facts = { ...(id === null ? {} : { id }), ...(format === null ? {} : { format }), ...(charset === null ? {} : { charset }) };
  const pasted = pastable({ path: entry.literal ? entry.include : documentId, ...facts, passwordEnv: variable });
  return [
    `${entry.literal ? 'write this entry for it' : 'add this entry'} to "documents" in the manifest: ${pasted}`,
    `export ${variable}=…`,
  ];
}

function variableFor(documentId: string): string {
  const name = (documentId.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '');
  const word = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^[_\d]+|_+$/g, '');
  return word === '' ? 'DOCUMENT_PASSWORD' : `${word.toUpperCase()}_PASSWORD`;
}

/** The text that comes of it is a document of its own; the scan would stay one that cannot be asked. */
function inItsPlace({ entry }: FoundFile, scans: readonly FoundFile[]): string {
  if (entry.literal) return `then name what comes of it in "documents": ${pastable({ path: readName(entry.include) })}`;
  const excluded = scans.filter((scan) => scan.entry === entry).map((scan) => globOf(scan.documentId));
  if (excluded.length > MOST_EXCLUDED) return 'then remove the scan, or name it in "exclude" of its entry in "documents"';
  const { include, exclude, tags, format, charset } = entry;
  const facts = {
    ...(tags.length === 0 ? {} : { tags }),
    ...(format === null ? {} : { format }),
    ...(charset === null ? {} : { charset }),
  };
  return `then remove the scan, or leave it out in "documents": ${pastable({ include, exclude: [...exclude, ...excluded], ...facts })}`;
}

/** As `ocrmypdf` is told to write it. */
function readName(path: string): string {
  return `${path.replace(/\.gz(?:ip)?$/i, '').replace(/\.pdf$/i, '')}-ocr.pdf`;
}

function pastable(entry: Partial<Record<keyof DocumentEntry | 'path', string | readonly string[]>>): string {
  const fields = Object.entries(entry).map(
    ([name, value]) => `"${name}": ${typeof value === 'string' ? JSON.stringify(value) : listed(value)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function listed(values: readonly string[] = []): string {
  return `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
}
