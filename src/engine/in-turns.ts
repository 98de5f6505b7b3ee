import { setImmediate } from 'node:timers/promises';

/** Items that are made at one go: whatever else this process has to do waits for no more of them. */
const ITEMS_PER_TURN = 100;

/** Items as they are made, `size` at a time; between them signals, timers and connections get their turn. */
export async function* inTurns<Item>(items: Iterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  for (const chunk of turnsOf(items, size)) {
    if (chunk !== null) yield chunk;
    await setImmediate();
  }
}

/** Chunks, and `null` where only a turn is over. */
function* turnsOf<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[] | null> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    } else if (chunk.length % ITEMS_PER_TURN === 0) yield null;
  }
  if (chunk.length > 0) yield chunk;
}
