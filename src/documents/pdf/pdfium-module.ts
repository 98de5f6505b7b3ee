/// <reference path="./web-assembly.d.ts" />
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';
import { DocumentFailure } from '../document-failure.ts';
import { NATIVE_FUNCTIONS, type NativeFunctions } from './native-functions.ts';

/** PDFium's C functions by name, as WebAssembly exports them: the package's wrappers cost twice as much per call. Pointers are numbers; 0 is null. */
export type Pdfium = NativeFunctions & {
  /** The native memory as it is now; it moves when it grows, so never keep this. */
  readonly memory: () => Uint8Array;
  /** Whether the instance was refused memory. */
  readonly isStarved: () => boolean;
};

/** More native memory than this no honest document needs. In bytes. */
export const NATIVE_LIMIT = 512 * 1024 * 1024;

/** PDFium's code, compiled; instances of it cost little (about 5 ms each). */
export async function compilePdfium(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm')));
}

/** A new instance, ready for documents, that never holds more than `limitBytes` of memory. */
export async function startPdfium(code: WebAssembly.Module, limitBytes: number = NATIVE_LIMIT): Promise<Pdfium> {
  const bound = new MemoryBound(limitBytes);
  // PDFium writes to the console what its callers learn anyhow, and here the screen belongs to others.
  const silent = (): void => undefined;
  const started: { exports: WebAssembly.Exports } = { exports: {} };
  await init({
    print: silent,
    printErr: silent,
    instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => WebAssembly.Exports) => {
      bound.applyTo(imports);
      const instance = new WebAssembly.Instance(code, imports);
      started.exports = instance.exports;
      return receive(instance);
    },
  });
  const { memory } = started.exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('Expected PDFium to export its memory');
  const pdfium: Pdfium = {
    ...nativeFunctions(started.exports),
    memory: () => new Uint8Array(memory.buffer),
    isStarved: () => bound.isHit,
  };
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** Refuses growth beyond a limit: `malloc` then fails as on a full machine, and PDFium gives up on what it was doing. */
class MemoryBound {
  readonly #limitBytes: number;
  isHit = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  applyTo(imports: WebAssembly.Imports): void {
    const { env } = imports;
    const resize = env?.emscripten_resize_heap;
    if (env === undefined || typeof resize !== 'function')
      throw new TypeError('Expected PDFium to ask for memory by emscripten_resize_heap');
    env.emscripten_resize_heap = (sizeBytes: number) => {
      // Sizes above 2 GiB come as negative numbers.
      if (sizeBytes >>> 0 <= this.#limitBytes) return resize(sizeBytes);
      this.isHit = true;
      return 0;
    };
  }
}

function nativeFunctions(exports: WebAssembly.Exports): NativeFunctions {
  const found = Object.fromEntries(NATIVE_FUNCTIONS.map((name) => [name, exports[name]]));
  if (!hasAllFunctions(found)) throw new TypeError('Expected PDFium to export every function that is used here');
  return found;
}

function hasAllFunctions(found: object): found is NativeFunctions {
  return Object.values(found).every((value) => typeof value === 'function');
}

/** Lends `sizeBytes` of native memory to `use`. Throws `DocumentFailure` (`document_broken`) when there is not so much. */
export function withNativeBuffer<Result>(pdfium: Pdfium, sizeBytes: number, use: (pointer: number) => Result): Result {
  const pointer = pdfium.malloc(Math.max(1, sizeBytes));
  if (pointer === 0) throw new DocumentFailure('document_broken', `PDFium has no memory for ${sizeBytes} bytes of it`);
  try {
    return use(pointer);
  } finally {
    pdfium.free(pointer);
  }
}

/** Lends a copy of `bytes` in native memory to `use`. Throws as `withNativeBuffer`. */
export function withNativeCopy<Result>(pdfium: Pdfium, bytes: Uint8Array, use: (pointer: number) => Result): Result {
  return withNativeBuffer(pdfium, bytes.length, (pointer) => {
    pdfium.memory().set(bytes, pointer);
    return use(pointer);
  });
}

/** Lends text as a C string in UTF-8 to `use`. */
export function withNativeString<Result>(pdfium: Pdfium, text: string, use: (pointer: number) => Result): Result {
  return withNativeCopy(pdfium, Buffer.from(`${text}\0`, 'utf8'), use);
}

/** A UTF-16 string of PDFium's "ask for the size, then for the text" functions; `null` when there is none. */
export function readUtf16(pdfium: Pdfium, call: (pointer: number, sizeBytes: number) => number): string | null {
  const sizeBytes = call(0, 0);
  // The terminator alone is an empty string.
  if (sizeBytes <= 2) return null;
  return withNativeBuffer(pdfium, sizeBytes, (pointer) => {
    call(pointer, sizeBytes);
    return Buffer.from(pdfium.memory().subarray(pointer, pointer + sizeBytes - 2)).toString('utf16le');
  });
}
