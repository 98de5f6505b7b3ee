import { DocumentFailure } from '../document-failure.ts';

const OLE = [0xd0, 0xcf, 0x11, 0xe0];
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Refuses what lies in the container of old Office files: a document with a password (`document_encrypted`), or one of Word 97 to
 * 2003 (`document_unreadable`).
 */
export function refuseOle(bytes: Uint8Array): void {
  if (!OLE.every((byte, index) => bytes[index] === byte)) return;
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ENCRYPTED)) {
    throw new DocumentFailure(
      'document_encrypted',
      'it is an Office file with a password, which cannot be opened here; save a copy without the password (File > Info > Protect Document)',
    );
  }
  throw new DocumentFailure('document_unreadable', 'it looks like a Word 97-2003 file; save it as .docx');
}
