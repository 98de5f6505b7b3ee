import type { Failure } from './reason.ts';

/**
 * The user must act. `message` says what and where on one line; `next` holds commands or edits that work as typed.
 * `exitCode` is one of the documented exit codes, `code` an entry of the message catalogue (`E03`).
 */
export class UserError extends Error {
  readonly code: string;
  readonly exitCode: number;
  readonly next: readonly string[];

  constructor(input: { code: string; exitCode: number; message: string; next?: readonly string[]; cause?: unknown }) {
    super(input.message, { cause: input.cause });
    this.name = 'UserError';
    this.code = input.code;
    this.exitCode = input.exitCode;
    this.next = input.next ?? [];
  }
}

/** A provider's call did not give a usable answer. Thrown by providers only, already classified. */
export class ProviderError extends Error {
  readonly failure: Failure;
  /** Whether the request may have reached the provider, so that it may be billed. */
  readonly sent: boolean;

  constructor(failure: Failure, options: { sent: boolean; cause?: unknown }) {
    super(failure.message, { cause: options.cause });
    this.name = 'ProviderError';
    this.failure = failure;
    this.sent = options.sent;
  }
}
