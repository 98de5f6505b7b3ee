const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Bytes for a person, in thousands as disks are sold: `812 B`, `1.2 kB`, `34 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit += 1) value /= 1000;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
