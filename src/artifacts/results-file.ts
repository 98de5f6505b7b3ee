import { join } from 'node:path';
import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import { jsonLine } from './json-text.ts';
import { writeFileAtomic } from './write-file.ts';

/** Name of the file with all results of a run, in the run's folder. */
const RESULTS_FILE = 'results.jsonl';

/** Writes `results.jsonl`: the header, then the lines as they come, in bounded memory. The old file stays until the new one is whole. */
export async function writeResults(runDir: string, header: RunHeader, lines: AsyncIterable<ResultLine>): Promise<void> {
  await writeFileAtomic(join(runDir, RESULTS_FILE), resultsText(header, lines));
}

/** The text of `results.jsonl`: the header, then a line for each job. */
export async function* resultsText(header: RunHeader, lines: AsyncIterable<ResultLine>): AsyncGenerator<string> {
  yield jsonLine(header);
  for await (const line of lines) yield jsonLine(line);
}
