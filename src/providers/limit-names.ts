import type { OutputLimitName } from './wire-body.ts';

const OTHER: Readonly<Record<OutputLimitName, OutputLimitName>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** What each model of an endpoint calls the output limit: the usual name, until it refuses that. */
export class LimitNames {
  readonly #usual: OutputLimitName;
  readonly #refusing = new Set<string>();

  constructor(usual: OutputLimitName) {
    this.#usual = usual;
  }

  of(model: string): OutputLimitName {
    return this.#refusing.has(model) ? OTHER[this.#usual] : this.#usual;
  }

  /** The model refused `name`. True when the other name is still to be tried; several calls may be refused the same name. */
  refused(model: string, name: OutputLimitName): boolean {
    if (name !== this.#usual) return false;
    this.#refusing.add(model);
    return true;
  }
}
