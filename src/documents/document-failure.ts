import type { PasswordFault, ScanCommand } from '../domain/document.ts';
import { withNext } from '../domain/next-step.ts';
import type { DocumentReason } from '../domain/reason.ts';

type FailureOptions = {
  readonly cause?: unknown;
  readonly next?: string;
  readonly password?: PasswordFault;
  readonly scan?: ScanCommand;
};

/** A document gives no usable text. Thrown inside `documents` only; `extract` turns it into a failed `Extraction`. */
export class DocumentFailure extends Error {
  readonly reason: DocumentReason;
  readonly password: PasswordFault | undefined;
  readonly scan: ScanCommand | undefined;

  /** `next`: what to do about it, part of the message for `advised`; of a scan it is the command. */
  constructor(reason: DocumentReason, message: string, { cause, password, scan, next = scan?.command }: FailureOptions = {}) {
    super(next === undefined ? message : withNext(message, next), { cause });
    this.name = 'DocumentFailure';
    this.reason = reason;
    this.password = password;
    this.scan = scan;
  }
}

/**
 * Result of a foreign parser. Whatever it throws becomes a `DocumentFailure` of reason `document_broken` with its message on one
 * line; only the call itself belongs inside, so that a bug of ours still crashes.
 */
export function parsedBy<Result>(parser: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DocumentFailure('document_broken', `${parser} cannot read it: ${message.replace(/\s+/g, ' ').trim()}`, { cause: error });
  }
}
