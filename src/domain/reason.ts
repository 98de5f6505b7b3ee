/** Why a step or a job failed: the closed list of attempts, DLQ and `retry --reason`. */
export const REASONS = [
  'document_unreadable',
  'document_encrypted',
  'document_no_text',
  'document_bad_text',
  'document_broken',
  'document_empty',
  'timeout',
  'connection',
  'server_error',
  'rate_limited',
  'stream_cut',
  'bad_request',
  'input_too_long',
  'input_truncated',
  'blocked_input',
  'blocked_output',
  'auth',
  'quota',
  'model_unknown',
  'wrong_url',
  'unsupported',
  'refused',
  'truncated',
  'empty_answer',
  'invalid_answer',
  'worker_lost',
  'deadline',
  'check_error',
  'replay_miss',
  'cancelled',
] as const;

export type Reason = (typeof REASONS)[number];

export type DocumentReason = Extract<Reason, `document_${string}`>;

/**
 * What a failure asks for:
 * - `transient`: try again after a pause; counts an attempt
 * - `rate`: try again at the time named; counts no attempt
 * - `permanent`: this step can never succeed as asked
 * - `fatal`: nothing sent to this endpoint can succeed until a person acts; the step stays queued, no attempt counted
 * - `capability`: ask again in a lesser mode; counts no attempt
 * - `quality`: an answer came and is bad; remembered with its key beyond the run
 */
export type FailureClass = 'transient' | 'rate' | 'permanent' | 'fatal' | 'capability' | 'quality';

/** One failure, as attempts and the DLQ keep it. */
export type Failure = {
  readonly class: FailureClass;
  readonly reason: Reason;
  /** One line for a person; secrets removed. */
  readonly message: string;
  readonly status?: number;
  /** The vendor's own code or type. */
  readonly code?: string;
  readonly requestId?: string;
  /** What a rate limit counts, as far as the server says. */
  readonly limited?: 'requests' | 'tokens' | 'concurrency';
  /** Of class `capability`: the endpoint has learnt what to send instead, so that the same mode is asked for again. */
  readonly sameMode?: true;
  /** The server's wish; a retry is never earlier. */
  readonly retryAfterMs?: number;
  /** What came before the failure: partial text, an error body (at most 4 kB). */
  readonly partial?: string;
};

const REASON_SET: ReadonlySet<string> = new Set(REASONS);

export function isReason(text: string): text is Reason {
  return REASON_SET.has(text);
}
