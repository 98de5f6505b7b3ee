import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CliIo } from './io.ts';

/** Whether a person can be asked: both ends of the conversation are a terminal. */
export function canAsk(io: CliIo): boolean {
  return io.stdin().isTTY === true && io.stderr.isTTY === true;
}

/** Asks a person on stderr; anything but yes is no. */
export async function confirm(io: CliIo, question: string): Promise<boolean> {
  io.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: io.stdin(), terminal: false });
  try {
    const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    return typeof answer === 'string' && /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
