import { afterEach, expect, test, vi } from 'vitest';
import { quickstartRun } from '../cli/quickstart-run.ts';

// Several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

test('what is refused again when it is asked again is not offered a third time', async () => {
  const { place, runId } = await quickstartRun({});
  undo.push(place.remove);
  const retried = await place.aieval('retry');
  expect(retried.stderr).toMatch(
    /^ {2}1× refused +again: .*\n? +→ change the prompt or the model, then: aieval run quickstart\/manifest\.json$/m,
  );
  expect(retried.stderr).not.toContain('--reason refused');
  const other = await place.aieval('retry', '--reason', 'timeout');
  expect(other).toMatchObject({
    exitCode: 5,
    stderr: `nothing to ask again: no job of ${runId} is in the DLQ for timeout; there is 1× refused\nnext: aieval retry ${runId}\n`,
  });
});
