import type { Queries } from '#kit/postgres'
import type { Contract } from '../state/contracts.ts'
import { type CycleEdit, listCycleEdits } from '../state/cycle-edits.ts'
import { type Cycle, cycleOf } from './cycles.ts'

/** The number of a cycle from the beginning of the contract, over all its numberings. */
export const cycleNumber = ({ cyclesBefore }: Pick<Contract, 'cyclesBefore'>, index: number): number =>
  cyclesBefore + index

export async function editOf(
  q: Queries,
  storeId: number,
  contract: Contract,
  index: number
): Promise<CycleEdit | null> {
  const edits = await listCycleEdits(q, storeId, [contract.id])
  return edits.find(({ cycle }) => cycle === cycleNumber(contract, index)) ?? null
}

/** A cycle with what was changed of it. */
export type EditedCycle = Cycle & {
  id: string
  contract: Contract
  edit: CycleEdit | null
  expectedAt: Temporal.Instant
}

export function editedCycle(contract: Contract, index: number, edits: CycleEdit[], timezone: string): EditedCycle {
  const cycle = cycleOf(contract, index, timezone)
  const edit = edits.find((one) => one.contractId === contract.id && one.cycle === cycleNumber(contract, index)) ?? null
  return { ...cycle, id: String(index), contract, edit, expectedAt: edit?.billingAt ?? cycle.endAt }
}

/** The first cycle from an index on that is not skipped. */
export async function firstUnskipped(q: Queries, storeId: number, contract: Contract, from: number): Promise<number> {
  const edits = await listCycleEdits(q, storeId, [contract.id])
  const skipped = new Set(edits.filter(({ isSkipped }) => isSkipped).map(({ cycle }) => cycle))
  let index = from
  while (skipped.has(cycleNumber(contract, index))) index++
  return index
}
