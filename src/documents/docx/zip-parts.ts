import { crc32, inflateRawSync } from 'node:zlib';
import { DocumentFailure } from '../document-failure.ts';

/** Parts of a ZIP by name. Reading one throws `DocumentFailure` when it is not what the directory says. */
export type ZipParts = {
  readonly names: readonly string[];
  /** `null` when there is no such part. */
  readonly read: (name: string) => Uint8Array | null;
};

const MAX_ENTRIES = 20_000;
/** XML parts of real documents of hundreds of pages stay below a fifth of this. */
const MAX_PART_BYTES = 96 * 1024 * 1024;
/** Of all parts that are read together. */
const MAX_TOTAL_BYTES = 160 * 1024 * 1024;
/** XML packs 10 to 60 times, long runs of one character 1,000 times. Small parts may: they do no harm. */
const MAX_RATIO = 250;
const RATIO_COUNTS_FROM_BYTES = 4 * 1024 * 1024;

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const IS_ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const IN_ZIP64 = 0xffffffff;

type Entry = {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
};

/**
 * The parts of a ZIP, none unpacked yet. Throws `DocumentFailure` (`document_broken`) when its directory is damaged or too long.
 * What is read is held to the sizes that the directory declares, and to limits, before and while it is unpacked.
 */
export function zipParts(bytes: Uint8Array): ZipParts {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directoryOf(zip);
  let total = 0;
  return {
    names: [...entries.keys()],
    read(name) {
      const entry = entries.get(name);
      if (entry === undefined) return null;
      total += entry.bytes;
      checkSize(entry, total);
      return unpacked(zip, entry);
    },
  };
}

function broken(message: string, cause?: unknown): DocumentFailure {
  return new DocumentFailure('document_broken', message, { cause });
}

function directoryOf(zip: Buffer): ReadonlyMap<string, Entry> {
  const end = endRecordAt(zip);
  const count = zip.readUInt16LE(end + 10);
  const directoryAt = zip.readUInt32LE(end + 16);
  if (directoryAt === IN_ZIP64 || count === 0xffff)
    throw broken('its ZIP is of the kind for files over 4 GB (ZIP64), which Word does not write');
  if (count > MAX_ENTRIES) throw broken(`its ZIP has ${count} entries; the limit is ${MAX_ENTRIES}`);
  const entries = new Map<string, Entry>();
  let at = directoryAt;
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || zip.readUInt32LE(at) !== ENTRY) throw broken('its ZIP directory is damaged');
    const nameBytes = zip.readUInt16LE(at + 28);
    const entry = entryAt(zip, at, nameBytes);
    // Twice the same name: readers disagree about which one counts, so that a person may see another text than the model.
    if (entries.has(entry.name)) throw broken(`its ZIP holds ${JSON.stringify(entry.name)} twice`);
    entries.set(entry.name, entry);
    at += ENTRY_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/** Searched from the end, because the archive's comment stands behind it. */
function endRecordAt(zip: Buffer): number {
  const first = Math.max(0, zip.length - END_RECORD_BYTES - MAX_COMMENT_BYTES);
  for (let at = zip.length - END_RECORD_BYTES; at >= first; at -= 1) {
    if (zip.readUInt32LE(at) === END_RECORD) return at;
  }
  throw broken('its ZIP has no directory: the file is cut off or damaged');
}

function entryAt(zip: Buffer, at: number, nameBytes: number): Entry {
  return {
    // Some writers use backslashes, and some a leading slash.
    name: zip
      .toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)
      .replaceAll('\\', '/')
      .replace(/^\//, ''),
    flags: zip.readUInt16LE(at + 8),
    method: zip.readUInt16LE(at + 10),
    crc: zip.readUInt32LE(at + 16),
    packedBytes: zip.readUInt32LE(at + 20),
    bytes: zip.readUInt32LE(at + 24),
    localAt: zip.readUInt32LE(at + 42),
  };
}

function checkSize(entry: Entry, total: number): void {
  if (entry.bytes > MAX_PART_BYTES) throw broken(`${entry.name} would unpack to ${entry.bytes} bytes; the limit is ${MAX_PART_BYTES}`);
  if (total > MAX_TOTAL_BYTES) throw broken(`its parts would unpack to more than ${MAX_TOTAL_BYTES} bytes`);
  if (entry.bytes > RATIO_COUNTS_FROM_BYTES && entry.bytes > entry.packedBytes * MAX_RATIO) {
    throw broken(
      `${entry.name} would unpack to ${Math.floor(entry.bytes / Math.max(1, entry.packedBytes))} times its size, as a ZIP bomb does`,
    );
  }
}

function unpacked(zip: Buffer, entry: Entry): Uint8Array {
  const packed = packedBytesOf(zip, entry);
  const bytes = entry.method === STORED ? packed : inflated(packed, entry);
  if (bytes.length !== entry.bytes || crc32(bytes) !== entry.crc) throw damaged(entry);
  return bytes;
}

function packedBytesOf(zip: Buffer, entry: Entry): Buffer {
  if ((entry.flags & IS_ENCRYPTED) !== 0)
    throw new DocumentFailure('document_encrypted', `${entry.name} in its ZIP is encrypted; save it without a password`);
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw broken(`${entry.name} is packed by method ${entry.method}, which Word does not use`);
  if (entry.localAt + LOCAL_BYTES > zip.length || zip.readUInt32LE(entry.localAt) !== LOCAL) throw damaged(entry);
  const start = entry.localAt + LOCAL_BYTES + zip.readUInt16LE(entry.localAt + 26) + zip.readUInt16LE(entry.localAt + 28);
  if (start + entry.packedBytes > zip.length) throw damaged(entry);
  return zip.subarray(start, start + entry.packedBytes);
}

function inflated(packed: Buffer, entry: Entry): Buffer {
  try {
    // The declared size is the limit: a part that unpacks to more ends here, whatever it would have become.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.bytes) });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw broken(`${entry.name} unpacks to more than the ${entry.bytes} bytes that the ZIP declares`, error);
    }
    throw damaged(entry, error);
  }
}

function damaged(entry: Entry, cause?: unknown): DocumentFailure {
  return broken(`${entry.name} in its ZIP is damaged`, cause);
}
