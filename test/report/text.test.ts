import { expect, test } from 'vitest';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { broken, failed, header, line, score } from './sample.ts';

test('the plain summary says verdict, counts, failures and reasons', () => {
  const lines = [line({ scores: [score()] }), failed({ document: 'b.md', model: 'local' }), broken({ document: 'c.pdf' })];
  expect(summaryText(summarize(header(), lines))).toMatchInlineSnapshot(`
    "INCOMPLETE  spec-review · run r-8kq2 · 1 of 3 results not evaluated · 50.0 % pass (gate 80 %)
    5 documents, 3 results: 1 pass, 1 fail, 1 not evaluated, 0 to review

      pass  fail  not eval.  review  pass rate  task / model
         0     1          0       0      0.0 %  claims / local
         1     0          1       0    100.0 %  claims / fast

    4 quotes checked: 2 verified (2 verbatim), 2 rejected (1 altered, 1 not in the document).

    Failures (1)
      - b.md  claims / local  job j3f9abcd
          · evidence: 2 of 3 quotes are not in the document
            page 3, line 14: altered 1023 → 1032
              quoted:   offset of the 1023 byte register
              document: offset of the 1032 byte register
            not in the document
              quoted:   Clients may skip the checksum
          · count: Expected at most 3, got 5

    Not evaluated (1)
      - timeout × 1  c.pdf  claims / fast: no answer in 120 s  job j3f9abcd

    3 jobs: 2 succeeded, 1 failed, 0 cancelled · 5 calls, 5 attempts (2 retries) · 0 re-asked, 0 repaired · cost $0.004 + 1 job of unknown price · tokens 3,000 in, 300 out · 0 of 3 jobs from cache · 36 min
    "
  `);
});
