/** What the first bytes of a file show, when it is none of the formats that can be read. */
type Signature = { readonly name: string; readonly bytes: readonly number[] };

const SIGNATURES: readonly Signature[] = [
  { name: 'a Microsoft Office 97 file', bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { name: 'RTF', bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66] },
  { name: 'PostScript', bytes: [0x25, 0x21, 0x50, 0x53] },
  { name: 'a PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { name: 'a JPEG image', bytes: [0xff, 0xd8, 0xff] },
  { name: 'a GIF image', bytes: [0x47, 0x49, 0x46, 0x38] },
  { name: 'a TIFF image', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { name: 'a TIFF image', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { name: '7z', bytes: [0x37, 0x7a, 0xbc, 0xaf] },
  { name: 'bzip2', bytes: [0x42, 0x5a, 0x68] },
  { name: 'xz', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
];

/** Where a TAR archive says so: its first bytes are the name of a file. */
const TAR_AT = 257;
const TAR = [0x75, 0x73, 0x74, 0x61, 0x72];

const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** Entry names that tell the kind of a ZIP; they stand uncompressed in its directory. */
const ZIP_KINDS: readonly (readonly [entry: string, name: string])[] = [
  ['ppt/presentation.xml', 'PPTX'],
  ['xl/workbook.xml', 'XLSX'],
  ['mimetypeapplication/epub', 'EPUB'],
  ['mimetypeapplication/vnd.oasis', 'OpenDocument'],
];

/** Whether the bytes are a ZIP archive that holds a Word document. */
export function isDocx(bytes: Uint8Array): boolean {
  return startsWith(bytes, ZIP) && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('word/document.xml');
}

/** Name of a known format that cannot be read, from the file's first bytes; `null` when they show none. */
export function unsupportedKind(bytes: Uint8Array): string | null {
  if (startsWith(bytes, ZIP)) return zipKind(bytes);
  if (startsWith(bytes.subarray(TAR_AT), TAR)) return 'a TAR archive';
  return SIGNATURES.find((signature) => startsWith(bytes, signature.bytes))?.name ?? null;
}

function zipKind(bytes: Uint8Array): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ZIP_KINDS.find(([entry]) => raw.includes(entry))?.[1] ?? 'a ZIP archive';
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
