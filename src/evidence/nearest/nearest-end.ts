const WORD_BITS = 32;
const NARROW = 0x100;

/** One stretch of 32 units of the piece: where costs rise and fall from row to row, and the bit of its last row. */
type Block = { rises: number; falls: number; readonly last: number; readonly rows: number; cost: number };

/**
 * Where the part of `text` ends that `piece` resembles most, the first of several; `null` when every part differs in more than `most` units
 * added, dropped or replaced. Bit-parallel (Myers 1999, in blocks as Hyyrö 2003): linear in the text for a short piece, whatever the text.
 */
export function nearestEnd(text: string, piece: string, most: number): number | null {
  const blocks = blocksOf(piece);
  const rowsOf = rowsByUnit(piece, blocks.length);
  const absent = new Int32Array(blocks.length);
  let limit = Math.min(most, piece.length - 1);
  let found: number | null = null;
  /** Blocks below this one cost more than the limit so far. */
  let active = Math.min(blocks.length, Math.ceil(Math.max(1, limit) / WORD_BITS));
  for (let i = 0; i < text.length; i += 1) {
    const rows = rowsOf(text.charCodeAt(i)) ?? absent;
    let carry = 0;
    for (let b = 0; b < active; b += 1) carry = advance(blocks, b, rows[b] ?? 0, carry);
    active = nextActive(blocks, active, rows, carry, limit);
    const bottom = blocks[active - 1];
    if (active !== blocks.length || bottom === undefined || bottom.cost > limit) continue;
    found = i + 1;
    limit = bottom.cost - 1;
    if (limit < 0) break;
  }
  return found;
}

function blocksOf(piece: string): Block[] {
  return Array.from({ length: Math.ceil(piece.length / WORD_BITS) }, (_, b) => {
    const rows = Math.min(WORD_BITS, piece.length - b * WORD_BITS);
    return { rises: -1, falls: 0, last: 1 << (rows - 1), rows, cost: b * WORD_BITS + rows };
  });
}

/** For a unit, the rows of the piece that it stands in, block by block. */
function rowsByUnit(piece: string, blocks: number): (unit: number) => Int32Array | undefined {
  const narrow: (Int32Array | undefined)[] = new Array(NARROW).fill(undefined);
  const wide = new Map<number, Int32Array>();
  for (let row = 0; row < piece.length; row += 1) {
    const unit = piece.charCodeAt(row);
    const rows = (unit < NARROW ? narrow[unit] : wide.get(unit)) ?? new Int32Array(blocks);
    const block = Math.floor(row / WORD_BITS);
    rows[block] = (rows[block] ?? 0) | (1 << (row % WORD_BITS));
    if (unit < NARROW) narrow[unit] = rows;
    else wide.set(unit, rows);
  }
  return (unit) => (unit < NARROW ? narrow[unit] : wide.get(unit));
}

/** Moves one block on by one unit of the text; `carry` and the result: how the cost changes at its upper and its lower end. */
function advance(blocks: readonly Block[], index: number, rows: number, carry: number): number {
  const block = blocks[index];
  if (block === undefined) return 0;
  const { rises, falls } = block;
  const borrowed = carry < 0 ? 1 : 0;
  const vertical = rows | falls;
  const equal = rows | borrowed;
  const diagonal = (((equal & rises) + rises) ^ rises) | equal;
  let up = falls | ~(diagonal | rises);
  let down = rises & diagonal;
  const change = (up & block.last) !== 0 ? 1 : (down & block.last) !== 0 ? -1 : 0;
  up = (up << 1) | (carry > 0 ? 1 : 0);
  down = (down << 1) | borrowed;
  block.rises = down | ~(vertical | up);
  block.falls = up & vertical;
  block.cost += change;
  return change;
}

/** Takes in the next block when a cheap way may lead into it, and leaves out those that none can reach. */
function nextActive(blocks: readonly Block[], active: number, rows: Int32Array, carry: number, limit: number): number {
  const last = blocks[active - 1];
  const next = blocks[active];
  if (last === undefined) return active;
  const reaches = last.cost - carry <= limit && (((rows[active] ?? 0) & 1) !== 0 || carry < 0);
  if (next !== undefined && reaches) {
    next.rises = -1;
    next.falls = 0;
    next.cost = last.cost - carry + next.rows;
    advance(blocks, active, rows[active] ?? 0, carry);
    return active + 1;
  }
  let kept = active;
  while (kept > 1 && (blocks[kept - 1]?.cost ?? 0) >= limit + (blocks[kept - 1]?.rows ?? 0)) kept -= 1;
  return kept;
}
