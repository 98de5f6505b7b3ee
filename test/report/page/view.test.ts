import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashOf, viewOf } from '../../../src/report/page/logic/hash.ts';
import {
  ariaSort,
  COLUMNS,
  cleared,
  FACETS,
  FIRST_VIEW,
  isFiltered,
  LISTS,
  sortedBy,
  toggled,
  type View,
} from '../../../src/report/page/logic/view.ts';

const values = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 3 });
const views: fc.Arbitrary<View> = fc.record({
  filters: fc.record({ verdict: values, task: values, model: values, check: values, reason: values, cached: values, document: values }),
  query: fc.string({ unit: 'grapheme', maxLength: 30 }),
  sorting: fc.record({ column: fc.constantFrom(...COLUMNS), descending: fc.boolean() }),
  job: fc.option(fc.string({ minLength: 1, maxLength: 26 })),
  quote: fc.option(fc.integer({ min: 1, max: 999_999 })),
  list: fc.constantFrom(...LISTS),
});

describe('the address', () => {
  test('gives back every view that was written into it', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(viewOf(`#${hashOf(view)}`)).toEqual(view);
      }),
    );
  });

  test('is empty for the first view', () => {
    expect(hashOf(FIRST_VIEW)).toBe('');
    expect(viewOf('')).toEqual(FIRST_VIEW);
  });

  test('reads like what it shows', () => {
    const view = sortedBy(
      sortedBy({ ...toggled(toggled(FIRST_VIEW, 'verdict', 'fail'), 'task', 'a & b'), query: 'retry' }, 'cost'),
      'cost',
    );
    expect(hashOf(view)).toBe('verdict=fail&task=a+%26+b&q=retry&sort=-cost');
  });

  test.each(['#sort=nonsense', '#%E0%A4%A', '#sort=-', '#&&=&', '#constructor=1&__proto__=2'])('%s is taken as the first view', (hash) => {
    expect(viewOf(hash)).toEqual(FIRST_VIEW);
  });
});

describe('a view', () => {
  test('loses a value that is chosen twice', () => {
    const once = toggled(FIRST_VIEW, 'model', 'fast');
    expect(once.filters.model).toEqual(['fast']);
    expect(toggled(once, 'model', 'fast')).toEqual(FIRST_VIEW);
  });

  test('keeps the open job and the order when its filters are cleared', () => {
    const view: View = { ...sortedBy(toggled(FIRST_VIEW, 'verdict', 'fail'), 'time'), query: 'x', job: 'j1' };
    expect(isFiltered(view)).toBe(true);
    expect(cleared(view)).toEqual({ ...FIRST_VIEW, sorting: { column: 'time', descending: false }, job: 'j1' });
    expect(isFiltered(cleared(view))).toBe(false);
  });

  test('tells a screen reader how numbers run, whose natural order is the largest first', () => {
    expect(ariaSort({ column: 'cost', descending: false })).toBe('descending');
    expect(ariaSort({ column: 'cost', descending: true })).toBe('ascending');
    expect(ariaSort({ column: 'document', descending: false })).toBe('ascending');
  });

  test('has every facet in its filters', () => {
    expect(Object.keys(FIRST_VIEW.filters).sort()).toEqual([...FACETS].sort());
  });
});
