import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Completion } from '../domain/completion.ts';
import { ProviderError, UserError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import { bodySummary, type CassetteEntry, cassetteText, parseCassette, type RecordedAnswer, type RecordedResponse } from './cassette.ts';
import type { Provider } from './provider.ts';
import { scrub, secretsOf } from './secrets.ts';
import { type JsonObject, wireBody, wireKey } from './wire-body.ts';

/** Collects what providers answered, by request body. Bodies have the output limit under its default name. */
export type CassetteSink = {
  add(body: JsonObject, response: RecordedResponse): void;
  /** Whether anything was answered to this body in this repeat. */
  has(body: JsonObject, repeat: number): boolean;
  /** One entry per body, in order of first answer. */
  entries(): readonly CassetteEntry[];
};

export function createCassetteSink(): CassetteSink {
  const recorded = new Map<string, { readonly entry: Omit<CassetteEntry, 'responses'>; readonly responses: RecordedResponse[] }>();
  return {
    add: (body, response) => {
      const key = wireKey(body);
      const known = recorded.get(key);
      if (known !== undefined) known.responses.push(response);
      else recorded.set(key, { entry: { key, request: bodySummary(body) }, responses: [response] });
    },
    has: (body, repeat) => recorded.get(wireKey(body))?.responses.some((response) => response.repeat === repeat) === true,
    entries: () => [...recorded.values()].map(({ entry, responses }) => ({ ...entry, responses })),
  };
}

/** What a cassette keeps of an answer. */
export function recordedAnswer({ content, refusal, finishReason, usage, model }: Completion): RecordedAnswer {
  return { content, refusal, finishReason, usage, model };
}

/**
 * Passes every call through and keeps what came back, failures too; not a call that the caller ended. Answers are kept as they are:
 * the provider has taken its key out of them, and a quote must stay what it is.
 */
export function recordingProvider(inner: Provider, sink: CassetteSink): Provider {
  return {
    complete: async (request, signal, listener) => {
      const repeat = request.repeat ?? 0;
      try {
        const completion = await inner.complete(request, signal, listener);
        sink.add(wireBody(request), { repeat, answer: recordedAnswer(completion) });
        return completion;
      } catch (error) {
        if (error instanceof ProviderError && error.failure.reason !== 'cancelled') {
          sink.add(wireBody(request), { repeat, failure: scrubbed(error.failure), sent: error.sent });
        }
        throw error;
      }
    },
    preflight: (signal) => inner.preflight(signal),
    close: () => inner.close(),
  };
}

/**
 * Finds out whether a cassette can be written at `path`, before anything is paid for: reads what is there, and writes a file
 * beside it. Throws `UserError`: exit 2 when there is something that is no cassette, exit 8 when the place cannot be written.
 */
export async function probeCassette(path: string): Promise<void> {
  await existingEntries(path);
  await writing(path, async () => {
    const temporary = temporaryPath(path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, '', { flag: 'wx' });
    await rm(temporary);
  });
}

/**
 * Writes the entries into the cassette at `path`, in place of older ones of the same body; other entries of the file stay. The
 * file is replaced in one step. Throws `UserError` as `probeCassette` does: what is no cassette is not overwritten.
 */
export async function writeCassette(path: string, entries: readonly CassetteEntry[]): Promise<void> {
  const merged = new Map((await existingEntries(path)).map((entry) => [entry.key, entry]));
  for (const entry of entries) merged.set(entry.key, entry);
  await writing(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, cassetteText([...merged.values()]));
  });
}

async function existingEntries(path: string): Promise<readonly CassetteEntry[]> {
  const kind = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw unusable(path, error);
  });
  if (kind === null) return [];
  // A pipe would hold the reader for ever.
  if (!kind.isFile()) throw noFile(path, kind.isDirectory() ? 'is a folder' : 'is not a file');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unusable(path, error);
  });
  return parseCassette(text, path).entries;
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function temporaryPath(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

async function writing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw unusable(path, error);
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const STORAGE_FAILED = 8;
const NEXT = ['name another file: aieval run MANIFEST --record FILE; answers that are there are not asked again'];

function unusable(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === null) return cause;
  return new UserError({
    code: 'E22',
    exitCode: STORAGE_FAILED,
    message: `cannot write the cassette ${path} (${code})`,
    next: NEXT,
    cause,
  });
}

function noFile(path: string, fault: string): UserError {
  return new UserError({ code: 'E00', exitCode: 2, message: `cannot write the cassette: ${path} ${fault}`, next: NEXT });
}

function scrubbed(failure: Failure): Failure {
  const ofAny = secretsOf([]);
  const partial = failure.partial === undefined ? {} : { partial: scrub(failure.partial, ofAny) };
  return { ...failure, message: scrub(failure.message, ofAny), ...partial };
}
