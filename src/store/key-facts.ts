import type { Json } from '../domain/canonical-json.ts';
import type { Part } from '../domain/part.ts';
import type { Reason } from '../domain/reason.ts';

/** An answer that is stored, and what gave it. */
export type StoredAnswer = {
  /** Of another store, where it was imported. */
  readonly runId: string;
  readonly jobId: string;
  readonly imported: boolean;
  readonly storedAtMs: number;
  readonly costNanoUsd: number | null;
};

/** What is stored of one key. */
export type KeyFact = {
  /** Whatever its age; `null`: none. */
  readonly answer: StoredAnswer | null;
  /** Why it is not asked again; `runId` and `jobId`: whose call showed it, `null` when that is gone. */
  readonly bad: { readonly reason: Reason; readonly message: string; readonly runId: string | null; readonly jobId: string | null } | null;
};

/** A question that is like another. */
export type RelatedQuestion = { readonly documentId: string; readonly task: string; readonly promptSha256: string; readonly limit: number };

/** A question whose answer is stored. */
export type RelatedAnswer = StoredAnswer & {
  readonly key: string;
  readonly keyRecord: Json;
  /** Names and text of its job; `null` when no run here has asked it. */
  readonly job: { readonly documentId: string; readonly model: string; readonly repeat: number; readonly textSha256: string | null } | null;
  readonly part: Part | null;
};
