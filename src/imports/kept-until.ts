/** For so long after an import's end its rows can be read as they were written. */
const KEPT_DAYS = 30

export const keptUntil = (finishedAt: Temporal.Instant) => finishedAt.add({ hours: KEPT_DAYS * 24 })
