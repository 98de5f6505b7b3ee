import { counted, moneyTexts } from '../terminal/format.ts';

/** What calls will take; amounts in nano-USD, `null`: unknown. */
export type Priced = {
  readonly calls: number;
  /** Jobs that were not chosen, whose calls are among them. */
  readonly otherJobs: number;
  readonly expectedNanoUsd: number | null;
  readonly worstNanoUsd: number | null;
};

/** `3 calls, expected cost $0.12, at most $0.34, one try each.` */
export function priceText({ calls, otherJobs, expectedNanoUsd, worstNanoUsd }: Priced): string {
  const [expected = '', worst = ''] = moneyTexts([expectedNanoUsd, worstNanoUsd]);
  const others = otherJobs === 0 ? '' : ` with those of ${counted(otherJobs, 'job')} still open`;
  const cost = calls === 0 ? 'nothing to pay' : `expected cost ${expected}, at most ${worst}, one try each`;
  return `${counted(calls, 'call')}${others}, ${cost}.`;
}
