/**
 * Whether the process of this `/proc/self/stat` is one that its terminal is for at present, and not a background job of the shell. True
 * where it has no terminal, or the text is none of that kind.
 */
export function isForeground(stat: string): boolean {
  // The second field is the program's name in brackets, which may hold anything; behind it: state, parent, group, session, terminal, group in front.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [group, inFront] = [Number(fields[2]), Number(fields[5])];
  return !(inFront > 0) || group === inFront;
}
