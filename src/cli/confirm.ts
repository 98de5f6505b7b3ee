import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CliIo } from './io.ts';

/** Whether a person can be asked: both ends of the conversation are a terminal, and nobody said `--no-input`. */
export function canAsk(io: CliIo): boolean {
  return io.env.AIEVAL_NO_INPUT !== '1' && io.stdin().isTTY === true && io.stderr.isTTY === true;
}

/** Asks a person on stderr; anything but yes is no. */
export async function confirm(io: CliIo, question: string): Promise<boolean> {
  io.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: io.stdin(), terminal: false });
  try {
    const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    if (typeof answer === 'string') return /^y(es)?$/i.test(answer.trim());
    // At the end of input no person has ended the line.
    io.stderr.write('\n');
    return false;
  } finally {
    lines.close();
  }
}
