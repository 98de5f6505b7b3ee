import type { Display } from '../display/display.ts';
import type { RunNumbers } from '../display/progress.ts';

/** How often the numbers on the screen are read. */
const TOTALS_EVERY_MS = 1000;

/**
 * Does `work` while whoever watches is given the store's own numbers of the runs at work. A failure to read them is met again, and told,
 * by the work itself.
 */
export async function withTotals<End>(
  { onTotals }: Pick<Display, 'onTotals'>,
  read: () => Promise<readonly RunNumbers[]>,
  work: () => Promise<End>,
): Promise<End> {
  let reading = false;
  const show = (): void => {
    // A store that does not answer is not asked again and again.
    if (reading) return;
    reading = true;
    read()
      .then(onTotals, () => undefined)
      .finally(() => {
        reading = false;
      });
  };
  const ticker = setInterval(show, TOTALS_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(ticker);
  }
}
