/** What this browser keeps between visits. In a frame it may keep nothing: then each visit begins anew. */
export const kept = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(name)
    } catch {
      return null
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(name, value)
    } catch {
      // As said.
    }
  }
}
