import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageError } from './storage-error.ts';

/** Characters that are held before they go to the disk. */
const HELD_CHARACTERS = 4 * 1024 * 1024;

type Extent = { readonly offset: number; readonly bytes: number };
type Disk = { readonly folder: string; readonly file: FileHandle };

/** Texts under keys, put in as they come and taken out key by key: in memory, and from `heldCharacters` on in a file of its own in the folder for temporary files, which `close` removes. */
export function fileSpool(heldCharacters = HELD_CHARACTERS) {
  const held = new Map<string, string[]>();
  const extents = new Map<string, Extent[]>();
  let [characters, end] = [0, 0];
  let disk: Disk | null = null;

  async function toDisk(): Promise<void> {
    disk ??= await newDisk();
    for (const [key, texts] of held) {
      const bytes = Buffer.from(texts.join(''));
      await writeWhole(disk.file, bytes, end);
      extentsOf(key).push({ offset: end, bytes: bytes.length });
      end += bytes.length;
    }
    held.clear();
    characters = 0;
  }

  function extentsOf(key: string): Extent[] {
    const known = extents.get(key) ?? [];
    extents.set(key, known);
    return known;
  }

  return {
    async add(key: string, text: string): Promise<void> {
      const texts = held.get(key) ?? [];
      held.set(key, texts);
      texts.push(text);
      characters += text.length;
      if (characters <= heldCharacters) return;
      await toDisk().catch((error: unknown) => {
        throw storageError(error, disk?.folder ?? tmpdir());
      });
    },
    /** In the order in which they were put in. */
    async *read(key: string): AsyncGenerator<string> {
      for (const extent of extents.get(key) ?? []) if (disk !== null) yield await readWhole(disk.file, extent);
      yield* held.get(key) ?? [];
    },
    async close(): Promise<void> {
      if (disk === null) return;
      const { file, folder } = disk;
      disk = null;
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Readable by nobody else: `mkdtemp` sees to that. */
async function newDisk(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), 'aieval-spool-'));
  return { folder, file: await open(join(folder, 'spool'), 'wx+') };
}

async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

async function readWhole(file: FileHandle, { offset, bytes }: Extent): Promise<string> {
  const buffer = Buffer.alloc(bytes);
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, offset + done);
    if (bytesRead === 0) throw new Error('a spool is shorter than what was written to it');
    done += bytesRead;
  }
  return buffer.toString('utf8');
}
