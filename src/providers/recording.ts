import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CompletionRequest } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import { type CassetteEntry, cassetteText, parseCassette, type RecordedResponse, requestSummary } from './cassette.ts';
import type { Provider } from './provider.ts';
import { scrub } from './secrets.ts';
import { wireBody, wireKey } from './wire-body.ts';

/** Collects what providers answered, by request body. */
export type CassetteSink = {
  add(request: CompletionRequest, response: RecordedResponse): void;
  /** One entry per body, in order of first answer. */
  entries(): readonly CassetteEntry[];
};

export function createCassetteSink(): CassetteSink {
  const recorded = new Map<string, { readonly entry: Omit<CassetteEntry, 'responses'>; readonly responses: RecordedResponse[] }>();
  return {
    add: (request, response) => {
      const key = wireKey(wireBody(request));
      const known = recorded.get(key);
      if (known !== undefined) known.responses.push(response);
      else recorded.set(key, { entry: { key, request: requestSummary(request) }, responses: [response] });
    },
    entries: () => [...recorded.values()].map(({ entry, responses }) => ({ ...entry, responses })),
  };
}

/**
 * Passes every call through and keeps what came back, failures too; not a call that the caller ended. Answers are kept as they are:
 * the provider has taken its key out of them, and a quote must stay what it is.
 */
export function recordingProvider(inner: Provider, sink: CassetteSink): Provider {
  return {
    complete: async (request, signal) => {
      const repeat = request.repeat ?? 0;
      try {
        const completion = await inner.complete(request, signal);
        const { content, refusal, finishReason, usage, model } = completion;
        sink.add(request, { repeat, answer: { content, refusal, finishReason, usage, model } });
        return completion;
      } catch (error) {
        if (error instanceof ProviderError && error.failure.reason !== 'cancelled') {
          sink.add(request, { repeat, failure: scrubbed(error.failure), sent: error.sent });
        }
        throw error;
      }
    },
    preflight: (signal) => inner.preflight(signal),
    close: () => inner.close(),
  };
}

/**
 * Writes the entries into the cassette at `path`, in place of older ones of the same body; other entries of the file stay. The
 * file is replaced in one step. Throws `UserError` when what is there is no cassette: it is not overwritten.
 */
export async function writeCassette(path: string, entries: readonly CassetteEntry[]): Promise<void> {
  const merged = new Map((await existingEntries(path)).map((entry) => [entry.key, entry]));
  for (const entry of entries) merged.set(entry.key, entry);
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, cassetteText([...merged.values()]));
}

async function existingEntries(path: string): Promise<readonly CassetteEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? [] : parseCassette(text, path).entries;
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
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

function scrubbed(failure: Failure): Failure {
  const partial = failure.partial === undefined ? {} : { partial: scrub(failure.partial, []) };
  return { ...failure, message: scrub(failure.message, []), ...partial };
}
