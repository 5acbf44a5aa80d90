import { realNow } from '#kit/clock'

/** A use of the same is written at most so often. */
const WRITE_EVERY_MS = 60_000

type Use<Used> = { used: Used; at: Temporal.Instant | null; writtenMs: number }

/** The last uses of keys and the like that this process has seen, in memory until they are written apart from the requests. */
export class LastUses<Used extends object> {
  readonly #uses = new Map<string, Use<Used>>()

  /** Notes that it is used now. `id` distinguishes it from the others. */
  note(id: string, used: Used): void {
    const use = this.#uses.get(id)
    if (use) use.at = realNow()
    else this.#uses.set(id, { used, at: realNow(), writtenMs: Number.NEGATIVE_INFINITY })
  }

  /**
   * Has the last uses written, each at most once a minute unless `all` is set; their number. After a failure they are written the next
   * time.
   */
  async write(
    writeUses: (uses: (Used & { at: Temporal.Instant })[]) => Promise<unknown>,
    { all = false }: { all?: boolean } = {}
  ): Promise<number> {
    const nowMs = performance.now()
    const due = [...this.#uses.values()].flatMap((use) =>
      use.at && (all || nowMs - use.writtenMs >= WRITE_EVERY_MS) ? [{ use, at: use.at }] : []
    )
    if (due.length === 0) return 0
    await writeUses(due.map(({ use, at }) => ({ ...use.used, at })))
    for (const { use, at } of due) {
      use.writtenMs = nowMs
      if (use.at === at) use.at = null
    }
    return due.length
  }
}
