/** The fields of an import's rows are removed this long after its end. */
const RETENTION_DAYS = 30

export const retainUntil = (finishedAt: Temporal.Instant) => finishedAt.add({ hours: RETENTION_DAYS * 24 })
