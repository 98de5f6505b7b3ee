import { describe, expect, test } from 'vitest';
import { createEvidenceIndex } from '../../../src/evidence/evidence-index.ts';
import { nearestEnd } from '../../../src/evidence/nearest/nearest-end.ts';
import { nearestPlace } from '../../../src/evidence/nearest/nearest-place.ts';
import { canonicalText } from '../canonical.ts';

function nearest(text: string, quote: string) {
  const found = nearestPlace(createEvidenceIndex(canonicalText(text)), quote);
  return found === null ? null : { text: text.slice(found.start, found.end), diff: found.diff };
}

describe('the nearest place', () => {
  test('takes in the bracket that it opens', () => {
    expect(
      nearest('The relay serves up to 2047 sluices (0 is reserved) and more.', 'The relay serves up to 2048 sluices (0 is reserved)'),
    ).toEqual({
      text: 'The relay serves up to 2047 sluices (0 is reserved)',
      diff: '2047 → 2048',
    });
  });

  test('reads an exponent as a part of its word', () => {
    const found = nearest('The area of the round quay is A=πr^2 is what he says.', 'The area of the round quay is A=πr²');
    expect(found).toEqual({ text: 'The area of the round quay is A=πr^2', diff: expect.stringContaining('πr^2 → ') });
  });
});

/** Costs of laying the piece so that it ends at each offset of the text; by the book. */
function costsByHand(text: string, piece: string): number[] {
  let column = Array.from({ length: piece.length + 1 }, (_, row) => row);
  return Array.from(text, (character) => {
    const next = [0];
    for (let row = 1; row <= piece.length; row += 1) {
      const replaced = (column[row - 1] ?? 0) + (piece[row - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (column[row] ?? 0) + 1, (next[row - 1] ?? 0) + 1));
    }
    column = next;
    return column[piece.length] ?? 0;
  });
}

describe('nearestEnd', () => {
  const text =
    'the lamp of the outer quay is lit at dusk by its keeper, and the lamp of the inner quay is lit at dawn by nobody at all; '.repeat(3);

  test.each([
    'the lamp of the inner quay is lit',
    'the lump of teh inner quai is litt at dawn by nobody at all; the lamp of the outer quay',
    'lamp',
    'by its keepr, and the lamp of the inner quay is lit at dawn by nobody at all; the lamp of the out',
    'zzzzzzzzzzzzzzz',
    'αβγ the lamp',
  ])('is where the table of costs is lowest first: %s', (piece) => {
    const most = Math.floor(piece.length / 4);
    const costs = costsByHand(text, piece);
    const least = Math.min(...costs);
    expect(nearestEnd(text, piece, most)).toBe(least > most ? null : costs.indexOf(least) + 1);
  });

  test('is linear where everything resembles the piece', { timeout: 5_000 }, () => {
    expect(nearestEnd('ab'.repeat(1_000_000), `${'ba'.repeat(47)}zz`, 24)).not.toBeNull();
  });
});
