import { canonicalJson, canonicalWith, type Json, sha256Hex } from './canonical-json.ts';
import type { ModelParams } from './completion.ts';

/** Raised when anything below changes its meaning, so that old answers are not served for new questions. */
const KEY_VERSION = 1;

/** Everything that can change a step's answer. Not in it: API key, limits, budget, checks, job label. */
export type KeyParts = {
  /** Base URL without a trailing slash, or the provider's `identity`; `replay:<sha256 of the cassette>`; `simulated`. */
  readonly endpoint: string;
  readonly model: string;
  /** As requested, whatever a fallback used in the end. */
  readonly params: ModelParams;
  readonly structuredOutput: 'auto' | 'json_schema' | 'json_object' | 'prompt';
  readonly output: { readonly format: 'json' | 'text'; readonly schema: Json | null; readonly strict: boolean; readonly reask: number };
  readonly system: string | null;
  /** The rendered prompt, with the document's canonical text. */
  readonly prompt: string;
  readonly repeat: number;
  readonly namespace: string | null;
};

/** The parts as they are hashed: short enough to store and to compare part by part. */
export type KeyRecord = { readonly [part: string]: Json };

/** SHA-256 over the canonical JSON of the parts; the two long texts enter by their own hash. */
export function answerKey(parts: KeyParts): string {
  return sha256Hex(canonicalJson(keyRecord(parts)));
}

/** The key and the record of each repeat of the question of one of them; what they share is spelled once. */
export function repeatKeys(parts: KeyParts): (repeat: number) => { readonly key: string; readonly keyRecord: KeyRecord } {
  const record = keyRecord(parts);
  const text = canonicalWith(record, 'repeat');
  return (repeat) => ({ key: sha256Hex(text(repeat)), keyRecord: { ...record, repeat } });
}

export function keyRecord(parts: KeyParts): KeyRecord {
  const { prompt, system, params, output, ...rest } = parts;
  return {
    ...rest,
    version: KEY_VERSION,
    params: defined(params),
    output: { ...output },
    systemSha256: system === null ? null : sha256Hex(system),
    promptSha256: sha256Hex(prompt),
  };
}

function defined(params: ModelParams): { [name: string]: Json } {
  const entries = Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(entries);
}
