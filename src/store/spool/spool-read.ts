import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { COMPLETION } from '../completion-schema.ts';
import type { SpoolOwner, SpoolRecord } from './spool-file.ts';
import type { UserId } from './spool-folder.ts';

export type SpoolContent = {
  /** `null`: its process died before it wrote whose it is, or another version wrote it. */
  readonly owner: SpoolOwner | null;
  readonly records: readonly SpoolRecord[];
  /** Whole lines that are no record of this version. */
  readonly unreadable: number;
};

const RECORD = z.object({ v: z.literal(1), token: z.string().min(1), completion: COMPLETION });
const OWNER = z.object({ v: z.literal(1), storeId: z.string(), database: z.string(), workerId: z.string() });

// A pipe in place of the file must not be waited for, a link not followed.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a spool file whose process has ended. `userId`: the file must be this user's; `null` where whoever may write there may write
 * the database itself. Throws the system's error.
 */
export function readSpool(path: string, userId: UserId): SpoolContent {
  const fd = openSync(path, READ);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || (userId !== null && stats.uid !== userId)) throw new Error(`${path} is not a file of this user`);
    return spoolContent(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** The text ends at the first NUL; a last line without its end was torn, and nobody was told that it was kept. */
function spoolContent(bytes: Buffer): SpoolContent {
  const nul = bytes.indexOf(0);
  const lines = bytes.toString('utf8', 0, nul === -1 ? bytes.length : nul).split('\n');
  const [first, ...rest] = lines.slice(0, -1).map(parsed);
  const owner = OWNER.safeParse(first);
  const records = rest.map((line) => RECORD.safeParse(line));
  return {
    owner: owner.success ? owner.data : null,
    records: records.flatMap(({ data }) => data ?? []),
    unreadable: records.filter(({ success }) => !success).length,
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
