import { gunzipSync } from 'node:zlib';
import { DocumentFailure } from './document-failure.ts';

/** The limit of plain files holds for packed ones too. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Whether the bytes are a gzip file. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * What a gzip file (of one member or several) holds; the name without `.gz` tells its kind. Throws `DocumentFailure`:
 * `document_unreadable` for one that unpacks to too much or to another gzip file, `document_broken` for a damaged one.
 */
export function gunzip(bytes: Uint8Array, name: string, maxBytes = MAX_BYTES): { readonly bytes: Uint8Array; readonly name: string } {
  const inner = unpack(bytes, maxBytes);
  if (isGzip(inner)) throw new DocumentFailure('document_unreadable', 'it looks like gzip inside gzip, which is not supported');
  return { bytes: inner, name: name.replace(/\.(?:gz|gzip)$/i, '') };
}

function unpack(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new DocumentFailure('document_unreadable', `it unpacks to more than ${maxBytes} bytes, the limit`, { cause: error });
    }
    throw new DocumentFailure('document_broken', `the gzip file is damaged: ${error.message}`, { cause: error });
  }
}
