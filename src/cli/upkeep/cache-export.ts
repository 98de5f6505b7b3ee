import { resolve } from 'node:path';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { size } from '../../domain/size.ts';
import { entryLine, headerLine } from '../../store/cache-file.ts';
import type { Store } from '../../store/store.ts';
import { openState } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { writeToStdout } from '../results/stdout-parts.ts';
import { counted } from '../terminal/format.ts';
import { writeExportFile } from './cache-export-file.ts';

/** An entry holds a whole prompt: this many are in memory at once. */
const PAGE = 25;

/** `aieval cache export [FILE|-]`: the cache as JSON lines, into a file or onto stdout. */
export async function cacheExportCommand(io: CliIo, globals: Globals, file: string): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const written = { entries: 0, sizeBytes: 0 };
    const lines = exportLines(store, written);
    if (file === '-') await writeToStdout(io, lines);
    else await writeExportFile(resolve(io.cwd, file), lines);
    if (globals.json && file !== '-') io.stdout.write(`${jsonLine({ v: 1, file, ...written })}\n`);
    else if (!globals.quiet && !globals.json) io.stderr.write(`${exportedText(file, written)}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

type Written = { entries: number; sizeBytes: number };

async function* exportLines(store: Store, written: Written): AsyncGenerator<string, void> {
  yield counting(headerLine(), written);
  for (let after = ''; ; ) {
    const page = await store.cacheEntries({ after, limit: PAGE });
    for (const entry of page) {
      written.entries += 1;
      yield counting(entryLine(entry), written);
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key;
  }
}

function counting(line: string, written: Written): string {
  written.sizeBytes += Buffer.byteLength(line);
  return line;
}

function exportedText(file: string, { entries, sizeBytes }: Written): string {
  const where = file === '-' ? '' : ` to ${oneLine(file)}`;
  return `Exported ${counted(entries, 'answer')}${where} (${size(sizeBytes)}). They hold what was sent, with the documents' text.`;
}
