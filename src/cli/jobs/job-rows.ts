import type { JobRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';

const PAGE = 500;

/** A run's jobs in plan order, read page by page, so that ten thousand of them do not stand in memory at once. */
export async function* jobRowsOf(
  store: Pick<Store, 'jobRows'>,
  runId: string,
  filter: { onlyFailed?: boolean } = {},
): AsyncGenerator<JobRow> {
  for (let after = -1; ; ) {
    const page = await store.jobRows(runId, { after, limit: PAGE, ...filter });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.seq;
  }
}
