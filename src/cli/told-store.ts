import { isServer, shownLocation } from '../store/location.ts';
import { copiedTo } from '../store/open.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { dayAndTime } from './terminal/format.ts';

/** Says at the start of work where it is kept: on a server, or in a file from which all was copied to one. */
export async function tellStore(io: CliIo, globals: Pick<Globals, 'quiet' | 'json'>, location: string): Promise<void> {
  if (!isServer(location)) return await tellCopied(io, globals, location);
  if (!globals.quiet && !globals.json) io.stderr.write(`Runs and answers are kept in ${shownLocation(location)}\n`);
}

/** Says of a file that all of it was copied to a server: who goes on with it by mistake pays again for what was paid there. */
export async function tellCopied(io: CliIo, { quiet }: Pick<Globals, 'quiet'>, location: string): Promise<void> {
  const copied = quiet ? null : await copiedTo(location);
  if (copied === null) return;
  const { to, atMs } = copied;
  io.stderr.write(`note: this store was copied to ${to} on ${dayAndTime(atMs)}; to go on there: --store ${to}, or AIEVAL_STORE\n`);
}
