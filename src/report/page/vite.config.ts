import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** One classic script, because modules do not load from `file://`. */
export default defineConfig({
  root: here('.'),
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: here('../../../dist/report/page'),
    emptyOutDir: true,
    target: 'es2022',
    lib: { entry: here('page.ts'), formats: ['iife'], name: 'aievalReport', fileName: () => 'page.js', cssFileName: 'page' },
  },
});
