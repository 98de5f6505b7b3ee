import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { DocumentFailure } from '../document-failure.ts';

/** PDFium's C functions by name, over one WebAssembly instance. Pointers are numbers; 0 is null. */
export type Pdfium = WrappedPdfiumModule;

/** A new instance, ready for documents (about 40 ms). */
export async function loadPdfium(): Promise<Pdfium> {
  const wasmBinary = await readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm'));
  // PDFium writes to the console what its callers learn anyhow, and here the screen belongs to others.
  const silent = (): void => undefined;
  const pdfium = await init({ wasmBinary, print: silent, printErr: silent });
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** Lends `size` bytes of native memory to `use`. Throws `DocumentFailure` (`document_broken`) when there is not so much. */
export function withNativeBuffer<Result>(pdfium: Pdfium, size: number, use: (pointer: number) => Result): Result {
  const pointer = pdfium.pdfium.wasmExports.malloc(Math.max(1, size));
  if (pointer === 0) throw new DocumentFailure('document_broken', `PDFium has no memory for ${size} bytes of it`);
  try {
    return use(pointer);
  } finally {
    pdfium.pdfium.wasmExports.free(pointer);
  }
}

/** The native memory as it is now; it moves when it grows, so never keep this. */
export function nativeBytes(pdfium: Pdfium): Uint8Array {
  const module: object = pdfium.pdfium;
  if ('HEAPU8' in module && module.HEAPU8 instanceof Uint8Array) return module.HEAPU8;
  throw new TypeError('Expected the PDFium module to expose HEAPU8');
}

/** A UTF-16 string of PDFium's "ask for the size, then for the text" functions; `null` when there is none. */
export function readUtf16(pdfium: Pdfium, call: (pointer: number, sizeBytes: number) => number): string | null {
  const sizeBytes = call(0, 0);
  // The terminator alone is an empty string.
  if (sizeBytes <= 2) return null;
  return withNativeBuffer(pdfium, sizeBytes, (pointer) => {
    call(pointer, sizeBytes);
    return Buffer.from(nativeBytes(pdfium).subarray(pointer, pointer + sizeBytes - 2)).toString('utf16le');
  });
}
