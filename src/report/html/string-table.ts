/** Strings that many jobs share, each kept once. */
export type StringTable = { place(text: string): number; all(): readonly string[] };

export function stringTable(): StringTable {
  const places = new Map<string, number>();
  return {
    place(text) {
      const known = places.get(text);
      if (known !== undefined) return known;
      places.set(text, places.size);
      return places.size - 1;
    },
    all: () => [...places.keys()],
  };
}
