/**
 * Work of this process that would wait for itself at the server, one after the other: a turn that waits here costs nothing, while a
 * transaction that waits for a row keeps a connection, and has the server wake it.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all that came before it in its line is over; at once without a line. */
  take<T>(line: string | null, work: () => Promise<T>): Promise<T> {
    if (line === null) return work();
    const turn = (this.#last.get(line) ?? Promise.resolve()).then(work);
    const leave = () => this.#leave(line, over);
    const over: Promise<void> = turn.then(leave, leave);
    this.#last.set(line, over);
    return turn;
  }

  #leave(line: string, over: Promise<void>): void {
    if (this.#last.get(line) === over) this.#last.delete(line);
  }
}
