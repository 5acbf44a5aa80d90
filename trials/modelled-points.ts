/** Days since the beginning of a life. */
export const NEVER = Number.POSITIVE_INFINITY

export type Lot = { left: number; endsOn: number; nth: number }
type TakenBack = { type: 'refund' | 'dispute'; taken: number; shortfall: number }
/** Points that somebody has got: those that wait, and the lot of the others. */
export type Grant = {
  nth: number
  points: number
  /** Points before they were rounded down, as a fraction. */
  exact: [parts: bigint, whole: bigint]
  isUndone: boolean
  readyOn: number
  /** From when on they could be spent first, and until when. */
  begunOn: number
  endsOn: number
  pending: number
  lot: Lot | null
  taken: TakenBack[]
  lastTakenOn: number
  /** When the first of these were earned; null while none was. */
  earnedOn: number | null
  /** How many of these count as ever earned. */
  lifetime: number
}
type Lasting = { takenOn: number; begunOn: number; endsOn: number }
/** Points that were spent, with what each lot gave. */
export type Spent = { on: number; parts: { lot: Lot; points: number }[]; isRestored: boolean }
/** What of an order was refunded and disputed. */
export type Shares = { whole: number; refunded: number; disputed: number }

let last = 0

/** The points of one customer as the docs say that they are, without tables. Every change comes on a day. */
export class ModelledPoints {
  lots: Lot[] = []
  grants: Grant[] = []
  lifetime = 0
  /** Changes of what can be spent. */
  events = 0

  get balance(): number {
    return this.lots.reduce((sum, { left }) => sum + left, 0)
  }

  get pending(): number {
    return this.grants.reduce((sum, { pending }) => sum + pending, 0)
  }

  /** Whoever opens an account makes due points earned first, and lets lots past their date expire. */
  open(today: number): void {
    const due = this.grants.filter(({ pending, readyOn }) => pending > 0 && readyOn <= today)
    for (const grant of due.toSorted((a, b) => a.readyOn - b.readyOn || a.nth - b.nth)) {
      this.#addEarned(grant, grant.pending, today)
      grant.pending = 0
    }
    for (const lot of this.lots) {
      if (lot.left === 0 || lot.endsOn > today) continue
      lot.left = 0
      this.events++
    }
  }

  /** `days`: for so many they can be spent once they are earned; null for ever. */
  earn(
    today: number,
    points: number,
    {
      readyOn,
      days,
      exact = [BigInt(points), 1n]
    }: { readyOn: number; days: number | null; exact?: Grant['exact'] | undefined }
  ): Grant {
    this.open(today)
    const waits = readyOn > today
    const begunOn = waits ? readyOn : today
    const endsOn = days === null ? NEVER : begunOn + days
    const grant: Grant = {
      ...{
        nth: ++last,
        points,
        exact,
        isUndone: false,
        readyOn,
        begunOn,
        endsOn,
        pending: waits ? points : 0,
        lot: null
      },
      ...{ taken: [], lastTakenOn: today, earnedOn: null, lifetime: 0 }
    }
    this.grants.push(grant)
    if (!waits) this.#addEarned(grant, points, today)
    return grant
  }

  #addEarned(grant: Grant, points: number, today: number): void {
    grant.lot = { left: points, endsOn: grant.endsOn, nth: ++last }
    this.lots.push(grant.lot)
    this.#count(grant, points, today)
    this.events++
  }

  #count(grant: Grant, points: number, today: number): void {
    this.lifetime += points
    grant.lifetime += points
    if (points > 0) grant.earnedOn ??= today
  }

  /** Null where the balance is too small. */
  spend(today: number, points: number): Spent | null {
    this.open(today)
    if (points > this.balance) return null
    this.events++
    return { on: today, parts: this.#take(points, null), isRestored: false }
  }

  /** What ends first is taken first; before that what is left of the given lot. */
  #take(points: number, first: Lot | null): Spent['parts'] {
    let left = points
    const inOrder = this.lots.toSorted((a, b) => (a.endsOn === b.endsOn ? a.nth - b.nth : a.endsOn - b.endsOn))
    const parts = [...inOrder.filter((lot) => lot === first), ...inOrder.filter((lot) => lot !== first)].map((lot) => {
      const taken = Math.min(lot.left, left)
      lot.left -= taken
      left -= taken
      return { lot, points: taken }
    })
    if (left !== 0) throw new Error('More is taken than there is')
    return parts.filter((part) => part.points > 0)
  }

  /** A lot whose date has passed since `takenOn` lasts as long as it did then; one that was over by then as long as from its beginning. */
  #putBack(today: number, lot: Lot, points: number, { takenOn, begunOn, endsOn }: Lasting): void {
    // A lot that is not used up keeps its date.
    if (lot.left === 0) lot.endsOn = endsOn > today ? endsOn : today + endsOn - (endsOn > takenOn ? takenOn : begunOn)
    lot.left += points
  }

  /** Gives spent points back to their lots, once. Returns whether it did. */
  restore(today: number, spent: Spent): boolean {
    this.open(today)
    if (spent.isRestored) return false
    spent.isRestored = true
    this.events++
    for (const { lot, points } of spent.parts) {
      // The dates that the entry of a lot has, whatever became of the lot since.
      const { begunOn, endsOn } = this.grants.find((grant) => grant.lot === lot) ?? { begunOn: 0, endsOn: NEVER }
      this.#putBack(today, lot, points, { takenOn: spent.on, begunOn, endsOn })
    }
    return true
  }

  /** Takes all of a grant back that was not taken back before. */
  undo(today: number, grant: Grant): void {
    this.open(today)
    const left = grant.points - asked(grant)
    if (left > 0 && !grant.isUndone) this.#takeBack(today, grant, 'refund', left)
    // No refund or dispute gives any of it back after that.
    grant.isUndone = true
  }

  #takeBack(today: number, grant: Grant, type: TakenBack['type'], points: number): void {
    const pending = Math.min(points, grant.pending)
    grant.pending -= pending
    const taken = Math.min(points - pending, this.balance)
    const shortfall = points - pending - taken
    this.#take(taken, grant.lot)
    this.#count(grant, -taken - shortfall, today)
    if (taken > 0) this.events++
    grant.taken.push({ type, taken: pending + taken, shortfall })
    grant.lastTakenOn = today
  }

  /** Refunds and disputes take their shares of these grants of an order, and give back what they do not ask for any more. */
  settle(today: number, grants: Grant[], { whole, refunded, disputed }: Shares): void {
    const open = grants.filter(({ isUndone }) => !isUndone)
    if (open.length > 0) this.open(today)
    for (const grant of open) {
      // What is kept is rounded down, once.
      const [parts, by] = grant.exact
      const shareOf = (part: number) =>
        grant.points - Number((parts * BigInt(whole - Math.min(part, whole))) / (by * BigInt(whole)))
      const [forRefunds, inAll] = [shareOf(refunded), shareOf(refunded + disputed)]
      const won = disputed === 0 ? asked(grant, 'dispute') : 0
      const excess = Math.max(0, asked(grant) - won - inAll)
      const ofRefunds = Math.min(excess, Math.max(0, asked(grant, 'refund') - forRefunds))
      this.#giveBack(today, grant, 'refund', ofRefunds)
      this.#giveBack(today, grant, 'dispute', won + excess - ofRefunds)
      const refunds = Math.max(0, Math.min(forRefunds - asked(grant, 'refund'), inAll - asked(grant)))
      const disputes = inAll - asked(grant) - refunds
      if (refunds > 0) this.#takeBack(today, grant, 'refund', refunds)
      if (disputes > 0) this.#takeBack(today, grant, 'dispute', disputes)
    }
  }

  /** The last take-back first, of each first what it could not take. */
  #giveBack(today: number, grant: Grant, type: TakenBack['type'], points: number): void {
    if (points === 0) return
    let open = points
    let back = 0
    let dropped = 0
    for (const one of grant.taken.filter((other) => other.type === type).toReversed()) {
      const shortfall = Math.min(one.shortfall, open)
      const taken = Math.min(one.taken, open - shortfall)
      one.shortfall -= shortfall
      one.taken -= taken
      open -= shortfall + taken
      dropped += shortfall
      back += taken
    }
    if (grant.readyOn > today && grant.lot === null) grant.pending += back
    else {
      this.#count(grant, back + dropped, today)
      if (back > 0) {
        this.events++
        // Points that were all taken back while they were pending have had no lot: theirs is as old as they are.
        grant.lot ??= this.#emptyLot(grant.nth)
        this.#putBack(today, grant.lot, back, { ...grant, takenOn: grant.lastTakenOn })
      }
    }
    grant.lastTakenOn = today
  }

  #emptyLot(nth: number): Lot {
    const lot = { left: 0, endsOn: NEVER, nth }
    this.lots.push(lot)
    return lot
  }

  /** By hand. */
  set(today: number, balance: number): void {
    this.open(today)
    const change = balance - this.balance
    if (change === 0) return
    this.events++
    if (change < 0) this.#take(-change, null)
    else this.lots.push({ left: change, endsOn: NEVER, nth: ++last })
  }

  /** All of them become those of another customer. */
  transferTo(today: number, other: ModelledPoints): void {
    this.open(today)
    other.open(today)
    other.lots.push(...this.lots)
    other.grants.push(...this.grants)
    other.lifetime += this.lifetime
    this.lots = []
    this.grants = []
    this.lifetime = 0
  }
}

const asked = ({ taken }: Grant, of?: TakenBack['type']): number =>
  taken.reduce((sum, one) => (of === undefined || one.type === of ? sum + one.taken + one.shortfall : sum), 0)
