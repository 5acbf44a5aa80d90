/** A function of an object that is called many times, and makes its result once for each object. */
export function madeOnce<Key extends object, Result>(make: (key: Key) => Result): (key: Key) => Result {
  const made = new WeakMap<Key, Result>()
  return (key) => {
    let result = made.get(key)
    if (result === undefined) {
      result = make(key)
      made.set(key, result)
    }
    return result
  }
}
