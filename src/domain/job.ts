import { hash } from 'node:crypto';
import { canonicalWith } from './canonical-json.ts';
import type { ModelParams } from './completion.ts';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** What a job is, but for its repeat. */
export type JobIdentity = {
  readonly documentId: string;
  /** `null` when the file could not be read. */
  readonly bytesSha256: string | null;
  readonly task: string;
  /** The model's key in the manifest. */
  readonly model: string;
  readonly params: ModelParams;
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const JOB_ID_CHARACTERS = 26;

/** The id of each repeat: 26 characters of base32 (RFC 4648, lower case), the same for the same work on every machine. */
export function jobIds(job: JobIdentity): (repeat: number) => string {
  const text = canonicalWith(job, 'repeat');
  return (repeat) => idOf(hash('sha256', text(repeat), 'buffer'));
}

function idOf(digest: Uint8Array): string {
  const codes: number[] = [];
  let [bits, value] = [0, 0];
  for (const byte of digest) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5 && codes.length < JOB_ID_CHARACTERS) {
      bits -= 5;
      codes.push(BASE32.charCodeAt((value >> bits) & 31));
    }
  }
  return String.fromCharCode(...codes);
}

/** `document:task:model#repeat`, the repeat left out when it is the only one (0-based inside, 1-based for people). */
export function jobLabel(job: { documentId: string; task: string; model: string; repeat: number }, repeats = 1): string {
  const base = `${job.documentId}:${job.task}:${job.model}`;
  return repeats > 1 ? `${base}#${job.repeat + 1}` : base;
}
