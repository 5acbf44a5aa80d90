/** For so long after an import's end its rows can be read as they were written. */
const RETENTION_DAYS = 30

export const retainUntil = (finishedAt: Temporal.Instant) => finishedAt.add({ hours: RETENTION_DAYS * 24 })
