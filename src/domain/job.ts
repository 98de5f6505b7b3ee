import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { ModelParams } from './completion.ts';

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type JobIdentity = {
  readonly documentId: string;
  /** `null` when the file could not be read. */
  readonly bytesSha256: string | null;
  readonly task: string;
  /** The model's key in the manifest. */
  readonly model: string;
  readonly params: ModelParams;
  readonly repeat: number;
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const JOB_ID_CHARACTERS = 26;

/** 26 characters of base32 (RFC 4648, lower case): the same for the same work on every machine. */
export function jobIdOf(job: JobIdentity): string {
  const digest = createHash('sha256').update(canonicalJson(job)).digest();
  let bits = 0;
  let value = 0;
  let id = '';
  for (const byte of digest) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5 && id.length < JOB_ID_CHARACTERS) {
      bits -= 5;
      id += BASE32[(value >> bits) & 31];
    }
  }
  return id;
}

/** `document:task:model#repeat`, the repeat left out when it is the only one (0-based inside, 1-based for people). */
export function jobLabel(job: { documentId: string; task: string; model: string; repeat: number }, repeats = 1): string {
  const base = `${job.documentId}:${job.task}:${job.model}`;
  return repeats > 1 ? `${base}#${job.repeat + 1}` : base;
}
