/**
 * Collects the keys requested in one turn of the event loop and fetches them in one statement, so that a page of contracts loads
 * its customers at once. Lives as long as one request.
 */
export class Loader<T> {
  readonly #fetch: (keys: string[]) => Promise<Map<string, T>>
  #known = new Map<string, Promise<T | null>>()
  #waiting: { key: string; resolve: (value: T | null) => void; reject: (err: unknown) => void }[] = []

  constructor(fetch: (keys: string[]) => Promise<Map<string, T>>) {
    this.#fetch = fetch
  }

  get(key: string): Promise<T | null> {
    let known = this.#known.get(key)
    if (!known) {
      known = new Promise((resolve, reject) => {
        if (this.#waiting.length === 0) setImmediate(() => void this.#run())
        this.#waiting.push({ key, resolve, reject })
      })
      this.#known.set(key, known)
    }
    return known
  }

  async list(keys: string[]): Promise<T[]> {
    return (await Promise.all(keys.map((key) => this.get(key)))).filter((found) => found !== null)
  }

  /** Clears the cache after a mutation. */
  clear() {
    this.#known = new Map()
  }

  async #run() {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const found = await this.#fetch(batch.map((entry) => entry.key))
      for (const { key, resolve } of batch) resolve(found.get(key) ?? null)
    } catch (err) {
      for (const { reject } of batch) reject(err)
    }
  }
}

export function keyedBy<T, K extends keyof T>(rows: T[], key: K): Map<T[K], T> {
  return new Map(rows.map((found) => [found[key], found]))
}

export function groupedBy<T extends Record<K, string | null>, K extends keyof T>(rows: T[], key: K): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const found of rows) {
    const name = found[key]
    if (name === null) continue
    const group = groups.get(name)
    if (group) group.push(found)
    else groups.set(name, [found])
  }
  return groups
}
