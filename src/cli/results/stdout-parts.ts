import type { CliIo } from '../io.ts';

const BATCH_CHARACTERS = 64 * 1024;

/** Writes parts of a text on stdout at the reader's pace; ends when nobody reads any more. */
export async function writeToStdout(io: CliIo, parts: AsyncIterable<string>): Promise<void> {
  let batch = '';
  for await (const part of parts) {
    batch += part;
    if (batch.length < BATCH_CHARACTERS) continue;
    await written(io, batch);
    if (!io.stdoutOpen()) return;
    batch = '';
  }
  await written(io, batch);
}

function written({ stdout }: CliIo, text: string): Promise<void> {
  return new Promise((done) => {
    stdout.write(text, () => done());
  });
}
