// What a customer's credit is, without tables: lots, and what holds, spends and takes back parts of them.

/** What is left of one credit, and its place in the order of adding. */
type ModelLot = { endsOn: number; left: number; nth: number }
export type Part = { lot: ModelLot; minor: number }
/** Credit that is held since the day `on` until `endsOn`. */
export type Held = { id: number; minor: number; on: number; endsOn: number; parts: Part[]; isOpen: boolean }
/** Credit that was spent, or reserved before, on the day `on`, and how much of it was restored. */
export type Spent = { entryId: number; minor: number; restored: number; on: number; parts: Part[] }
export type TakeBackType = 'refund' | 'dispute'
/** What a refund or dispute has taken back of issued credit: at once, and later of what reservations gave back that were open then. */
export type Taken = { type: TakeBackType; shortfall: number; heldBy: Held[]; parts: Spent[] }
type Issued = { minor: number; lot: ModelLot; taken: Taken[] }
export type Model = {
  orderId: number
  lots: ModelLot[]
  entries: number
  /** Entries with an event: all but those that could deduct nothing. */
  recorded: number
  held: Held[]
  redeemed: Spent[]
  issued: Issued[]
  /** Tenths of the order that are refunded, and that disputes claim. */
  reversed: { refund: number; dispute: number }
  points: number
  pointsEntries: number
}

export const inOrder = (a: ModelLot, b: ModelLot) =>
  a.endsOn === b.endsOn ? a.nth - b.nth : a.endsOn < b.endsOn ? -1 : 1
export const usableLots = ({ lots }: Model, today: number) => lots.filter((lot) => lot.endsOn > today).sort(inOrder)

export const openOf = ({ held }: Model, today: number) => held.filter(({ isOpen, endsOn }) => isOpen && endsOn > today)

/** What open reservations hold of a lot. */
export function heldOf(model: Model, lot: ModelLot, today: number): number {
  const parts = openOf(model, today).flatMap((held) => held.parts.filter((part) => part.lot === lot))
  return parts.reduce((sum, { minor }) => sum + minor, 0)
}

export const freeOf = (model: Model, lot: ModelLot, today: number) => lot.left - heldOf(model, lot, today)

/** The parts of lots, in order, that make an amount; null when there is not enough. */
export function partsOf(lots: ModelLot[], minor: number, free: (lot: ModelLot) => number): Part[] | null {
  const parts: Part[] = []
  let open = minor
  for (const lot of lots) {
    const taken = Math.min(free(lot), open)
    open -= taken
    if (taken > 0) parts.push({ lot, minor: taken })
  }
  return open > 0 ? null : parts
}

/** Ends the reservations whose time is over, as whatever opens the account does. */
export function openAccount(model: Model, today: number): void {
  for (const held of model.held) {
    if (held.isOpen && held.endsOn <= today) endHeld(model, held, held.parts, today)
  }
}

/** Ends a reservation that gives these parts back: to what could not be taken back while it was open, the oldest first. */
export function endHeld(model: Model, held: Held, given: Part[], today: number): void {
  held.isOpen = false
  const left = new Map(given.filter(({ lot }) => lot.endsOn > today).map(({ lot, minor }) => [lot, minor]))
  const waiting = model.issued
    .flatMap(({ lot, taken }) => taken.map((one) => ({ one, own: lot })))
    .filter(({ one }) => one.heldBy.includes(held))
    .sort((a, b) => a.one.parts[0]!.entryId - b.one.parts[0]!.entryId)
  for (const { one, own } of waiting) {
    const minor = Math.min(
      one.shortfall,
      [...left.values()].reduce((sum, part) => sum + part, 0)
    )
    if (minor === 0) continue
    const lots = [...left.keys()]
    const parts = partsOf(
      [...lots.filter((lot) => lot === own), ...lots.filter((lot) => lot !== own)],
      minor,
      (lot) => left.get(lot)!
    )!
    for (const part of parts) left.set(part.lot, left.get(part.lot)! - part.minor)
    spend(model, parts)
    one.shortfall -= minor
    one.parts.push({ entryId: Number.NaN, minor, restored: 0, on: today, parts })
  }
}

export function entered(model: Model, isRecorded = true) {
  model.entries++
  if (isRecorded) model.recorded++
}

export function spend(model: Model, parts: Part[], isRecorded = true) {
  for (const { lot, minor } of parts) lot.left -= minor
  model.lots = model.lots.filter((lot) => lot.left > 0)
  entered(model, isRecorded)
}

/** Takes an amount from what can be used; null when there is not enough. */
export function take(model: Model, minor: number, today: number): Part[] | null {
  const parts = partsOf(usableLots(model, today), minor, (lot) => freeOf(model, lot, today))
  if (parts !== null) spend(model, parts)
  return parts
}
