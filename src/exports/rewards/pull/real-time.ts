import type { Ctx } from '#kit/postgres'

/** Real time at the beginning of the transaction: services are asked by it, whatever the store's clock says. */
export const realTimeOf = (ctx: Ctx): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(ctx.realNowMs))
