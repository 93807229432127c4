/**
 * madeOnce: makes something of an object once: the same object again gives the same thing, for as long as it lives.
 *
 * Pure    as `make` is. For objects that are replaced and never changed.
 * Source  docs/decisions/0030
 */
export function madeOnce<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = new WeakMap<Of, Made>();
  return (of) => {
    if (!made.has(of)) made.set(of, make(of));
    return made.get(of) as Made;
  };
}
