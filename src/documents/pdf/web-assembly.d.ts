/** What is used of WebAssembly, which the types of Node 20 lack. */
declare namespace WebAssembly {
  type ExportValue = ((...args: number[]) => number) | Memory | object;
  type Exports = Record<string, ExportValue>;
  type Imports = Record<string, Record<string, (...args: number[]) => unknown>>;
  class Module {}
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
