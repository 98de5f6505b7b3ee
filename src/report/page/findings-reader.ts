import type { ReportData } from './data.ts';
import { type FindingRow, findingRow } from './logic/findings.ts';
import { quotesOf } from './logic/quotes.ts';
import type { IndexedRow } from './logic/rows.ts';

/** Work at one go, so that the page stays quick. */
const SLICE_MS = 12;
/** Between two looks at what was read so far. */
const TOLD_EVERY_MS = 200;

/** Reads the findings of all jobs, block by block, between what the page has to do; begins when it is first asked to. */
export class FindingsReader {
  readonly #data: ReportData;
  readonly #rows: readonly IndexedRow[];
  readonly #byPlace = new Map<number, readonly FindingRow[]>();
  #next = 0;
  #total = 0;
  #toldAt = 0;
  #isStarted = false;

  constructor(data: ReportData, rows: readonly IndexedRow[]) {
    this.#data = data;
    this.#rows = rows;
  }

  /** By the job's place in plan order. */
  get byPlace(): ReadonlyMap<number, readonly FindingRow[]> {
    return this.#byPlace;
  }

  /** Jobs read so far. */
  get read(): number {
    return Math.min(this.#rows.length, this.#next * this.#data.index.jobsPerBlock);
  }

  get isDone(): boolean {
    return this.read >= this.#rows.length;
  }

  /** Findings read so far. */
  get total(): number {
    return this.#total;
  }

  /** `onProgress` is called now and then, and once at the end. */
  start(onProgress: () => void): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const slice = (): void => {
      const until = performance.now() + SLICE_MS;
      while (!this.isDone && performance.now() < until) this.#readBlock();
      if (!this.isDone) setTimeout(slice);
      if (!this.isDone && performance.now() - this.#toldAt < TOLD_EVERY_MS) return;
      this.#toldAt = performance.now();
      onProgress();
    };
    setTimeout(slice);
  }

  #readBlock(): void {
    const first = this.#next * this.#data.index.jobsPerBlock;
    for (const [index, job] of this.#data.jobsOfBlock(this.#next).entries()) {
      const row = this.#rows[first + index];
      const findings = row === undefined ? [] : quotesOf(job.scores).map((quote) => findingRow(row, quote));
      this.#total += findings.length;
      if (findings.length > 0) this.#byPlace.set(first + index, findings);
    }
    this.#next += 1;
  }
}
