import { kept } from '../shared/kept.ts'

const KEPT_AS = 'perennial-store'

/** The store whose pages this browser has shown last. */
export const lastStore = {
  get: () => kept.get(KEPT_AS),
  set: (id: string) => kept.set(KEPT_AS, id)
}
