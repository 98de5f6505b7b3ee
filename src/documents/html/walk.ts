import { type Element, hasText, isDeleted, isElement, isSkipped, type Node } from './elements.ts';

export type Visitor = {
  text(value: string): void;
  enter(element: Element): void;
  leave(element: Element): void;
  /** Text that is struck through; it is not visited. */
  deleted?(element: Element): void;
};

type Frame = { readonly element: Element; next: number };

/** Visits what a reader sees, and is meant to read, below `root`, in document order. A loop, because pages nest deeper than the stack of calls is. */
export function walkVisible(root: Element, visitor: Visitor): void {
  const frames: Frame[] = [{ element: root, next: 0 }];
  visitor.enter(root);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const child: Node | undefined = frame.element.childNodes[frame.next];
    frame.next += 1;
    if (child === undefined) {
      visitor.leave(frame.element);
      frames.pop();
    } else if (isElement(child)) {
      if (isSkipped(child)) continue;
      if (isDeleted(child)) {
        if (hasText(child)) visitor.deleted?.(child);
        continue;
      }
      visitor.enter(child);
      frames.push({ element: child, next: 0 });
    } else if (child.nodeName === '#text' && 'value' in child) {
      visitor.text(child.value);
    }
  }
}
