import type { RateReport } from '../domain/lane/lane.ts';
import { readRateHeaders } from '../pacing/rate-headers.ts';
import type { CallListener } from '../providers/provider.ts';

type Notes = {
  readonly now: () => number;
  /** Tells the store; `null` when nobody waits for it. */
  readonly onFirstToken: (() => Promise<void>) | null;
};

/** What is seen of a call while its answer comes. Nothing here holds the answer up. */
export class CallNotes implements CallListener {
  readonly #notes: Notes;
  #rates: RateReport | null = null;
  #told: Promise<unknown> = Promise.resolve(null);

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  onHeaders(header: (name: string) => string | null): void {
    this.#rates = readRateHeaders(header, this.#notes.now());
  }

  onFirstToken(): void {
    const { onFirstToken } = this.#notes;
    if (onFirstToken === null) return;
    this.#told = onFirstToken().then(
      () => null,
      (error: unknown) => error,
    );
  }

  /** As a part of the call's outcome; empty when the headers told nothing. */
  get rates(): { readonly rates?: RateReport } {
    return this.#rates === null ? {} : { rates: this.#rates };
  }

  /** Waits for what was begun. Its failure costs others a little time and the call nothing, so it is told and no more. */
  async done(warn: (message: string) => void): Promise<void> {
    const error = await this.#told;
    if (error !== null) warn(`others wait longer than need be: ${error instanceof Error ? error.message : String(error)}`);
  }
}
