import type { MigrationSet } from '#kit/postgres'

/** Every folder of migrations, in the order in which they are applied. */
export const MIGRATIONS: readonly MigrationSet[] = [
  { name: 'perennial', directory: new URL('../../migrations/', import.meta.url) },
  { name: 'sandbox', directory: new URL('../../sandbox/migrations/', import.meta.url) }
]
