import { relative, sep } from 'node:path';
import type { FoundFile } from '../../documents/files/find-files.ts';
import { globOf } from '../../documents/files/unmatched-files.ts';
import type { Extraction, ScanCommand } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { DocumentEntry } from '../../domain/manifest/resolved.ts';
import { advised } from '../../domain/next-step.ts';
import type { DocumentList } from '../../engine/load-documents.ts';
import type { ReadDocument } from '../../engine/read-documents.ts';
import { setCommand } from '../config/set-variable.ts';
import type { CliIo } from '../io.ts';
import type { LoadedManifest } from './prepare.ts';
import { isRead, scanCommands } from './scan-steps.ts';

/** A document without usable text: what is wrong with it, and what mends it, each line to be typed or pasted as it is. */
export type DocumentFault = { readonly documentId: string; readonly text: string; readonly next: readonly string[] };

const LONGEST_STEP = 1000;
/** A line of more exclusions is no longer pasted. */
const MOST_EXCLUDED = 5;

/** Those of the documents that cannot be asked; `files` are the same documents as their entries name them. */
export function documentFaults(
  io: CliIo,
  documents: readonly ReadDocument[],
  { documents: files, documentList: list }: Pick<LoadedManifest, 'documents' | 'documentList'>,
): readonly DocumentFault[] {
  const fileOf = new Map(files.map((file) => [file.documentId, file]));
  const scans = documents.flatMap(({ documentId, extraction }) => (scanOf(extraction) === null ? [] : (fileOf.get(documentId) ?? [])));
  const variables = passwordVariables(documents, fileOf);
  return documents.flatMap(({ documentId, extraction }) => {
    if (extraction.ok) return [];
    const { what } = advised(extraction);
    const next = nextSteps(extraction, { file: fileOf.get(documentId), scans, list, io, variable: variables.get(documentId) });
    return [{ documentId, text: `${documentId}: ${extraction.reason}: ${what}`, next: next.map((step) => oneLine(step, LONGEST_STEP)) }];
  });
}

type Placed = {
  readonly file: FoundFile | undefined;
  readonly scans: readonly FoundFile[];
  readonly list: DocumentList;
  readonly io: CliIo;
  /** For its password, where the document needs one and names none. */
  readonly variable: string | undefined;
};

function nextSteps(extraction: Extract<Extraction, { ok: false }>, { file, scans, list, io, variable }: Placed): string[] {
  const { next } = advised(extraction);
  if (file === undefined) return next === null ? [] : [next];
  if (variable !== undefined) return passwordSteps(io, { file, list, variable });
  const scan = scanOf(extraction);
  if (scan === null) return next === null ? [] : [next];
  return [...scanCommands(file, scan, io.cwd), inItsPlace(file, scans, { list, scan, cwd: io.cwd })];
}

function scanOf(extraction: Extraction): ScanCommand | null {
  return extraction.ok ? null : (extraction.scan ?? null);
}

/** Of each document that needs a password and names no variable: one of its own, also where files are called alike. */
function passwordVariables(documents: readonly ReadDocument[], fileOf: ReadonlyMap<string, FoundFile>): ReadonlyMap<string, string> {
  const taken = new Set([...fileOf.values()].map(({ entry }) => entry.passwordEnv));
  const variables = new Map<string, string>();
  for (const { documentId, extraction } of documents) {
    const isLocked = !extraction.ok && extraction.password !== undefined && fileOf.get(documentId)?.entry.passwordEnv === null;
    if (!isLocked) continue;
    const variable = freeVariable(variableFor(documentId), taken);
    taken.add(variable);
    variables.set(documentId, variable);
  }
  return variables;
}

function freeVariable(name: string, taken: ReadonlySet<string | null>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
  return free;
}

function variableFor(documentId: string): string {
  const name = (documentId.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '');
  const word = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^[_\d]+|_+$/g, '');
  return word === '' ? 'DOCUMENT_PASSWORD' : `${word.toUpperCase()}_PASSWORD`;
}

type Locked = { readonly file: FoundFile; readonly list: DocumentList; readonly variable: string };

function passwordSteps(io: CliIo, { file, list, variable }: Locked): string[] {
  const { include, literal, id, format, charset } = statedEntry(file, list);
  const facts = { ...(id === null ? {} : { id }), ...(format === null ? {} : { format }), ...(charset === null ? {} : { charset }) };
  const pasted = pastable({ path: literal ? include : pathIn(list, file), ...facts, passwordEnv: variable });
  return [
    `${literal ? 'write this entry for it' : 'add this entry'} to "documents" in ${list.extended ?? 'the manifest'}: ${pasted}`,
    setCommand(io, variable),
  ];
}

type Leaving = { readonly list: DocumentList; readonly scan: ScanCommand; readonly cwd: string };

/** The text that comes of it is a document of its own; the scan would stay one that cannot be asked. */
function inItsPlace(file: FoundFile, scans: readonly FoundFile[], { list, scan, cwd }: Leaving): string {
  const where = `"documents"${list.extended === null ? '' : ` in ${list.extended}`}`;
  const then = isRead(scan, cwd) ? '' : 'then ';
  const { include, exclude, literal, tags, format, charset } = statedEntry(file, list);
  if (literal) return `${then}name what comes of it in ${where}: ${pastable({ path: readName(include) })}`;
  const excluded = scans.filter((each) => each.entry === file.entry).map((each) => globOf(pathIn(list, each)));
  if (excluded.length > MOST_EXCLUDED) return `${then}remove the scan, or name it in "exclude" of its entry in ${where}`;
  const facts = {
    ...(tags.length === 0 ? {} : { tags }),
    ...(format === null ? {} : { format }),
    ...(charset === null ? {} : { charset }),
  };
  return `${then}remove the scan, or leave it out in ${where}: ${pastable({ include, exclude: [...exclude, ...excluded], ...facts })}`;
}

function statedEntry({ entry }: FoundFile, { stated }: DocumentList): DocumentEntry {
  return stated.get(entry) ?? entry;
}

/** The file's path as the list would have to write it. */
function pathIn({ folder }: DocumentList, { path }: FoundFile): string {
  return relative(folder, path).split(sep).join('/');
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
