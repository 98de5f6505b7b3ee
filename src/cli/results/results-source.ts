import { resolve } from 'node:path';
import { type ResultsFile, readResults, readResultsFrom } from '../../artifacts/results-reader.ts';
import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';

const FROM_STDIN = '-';

/** The results in a `results.jsonl`, or with `-` those that come on stdin. Throws `UserError` (exit 2) that names the line that is wrong. */
export async function openResults(io: CliIo, from: string): Promise<ResultsFile> {
  if (from !== FROM_STDIN) return await readResults(resolve(io.cwd, from));
  const stdin = io.stdin();
  if (stdin.isTTY === true) {
    const next = ['aieval summary --from - < results.jsonl'];
    throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: 'nothing comes on stdin', next });
  }
  return await readResultsFrom('stdin', stdin);
}
