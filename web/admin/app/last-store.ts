const KEPT_AS = 'perennial-store'

/** The store whose pages this browser has shown last. */
export const lastStore = {
  get: () => localStorage.getItem(KEPT_AS),
  set: (id: string) => localStorage.setItem(KEPT_AS, id)
}
