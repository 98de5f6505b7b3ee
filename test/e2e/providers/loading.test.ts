import { expect, test } from 'vitest';
import { apiError } from '../../providers/scripted-server.ts';
import { atWork, runIn } from './at-work.ts';
import { attempts, expectBooksToAgree } from './ledger.ts';
import { free, good } from './scriptable-provider.ts';

const LOADING = apiError(503, { message: 'Loading model', type: 'unavailable_error', code: 503 });

test('a server that still loads its model is waited for, and no attempt is counted', async () => {
  const { place, provider } = await atWork((asked) => (asked.n <= 2 ? free(LOADING) : good(asked)), {
    documents: 2,
    manifest: { retry: { attempts: 1 } },
  });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { calls: 4, results: { pass: 2 } } });
  expect(attempts(place).filter(({ reason, counted }) => reason === 'server_error' && counted === 0)).toHaveLength(2);
  await expectBooksToAgree(place, provider);
});
