/** A constant that is made when it is first asked for: for those that cost more than a command that does not need them should pay. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
