import type { Plan } from './plan.ts'
import type { Scope } from './pricing/perks.ts'

/** A discount function of the platform gets at most so many elements of a list. Both main plans share one list of collections. */
export const MAX_COLLECTIONS = 100

/** The collections of all perks of a plan. */
export const collectionsOf = ({ perks: { discount, welcomeOffer } }: Pick<Plan, 'perks'>): string[] => [
  ...new Set([...collectionIdsOf(discount?.scope), ...collectionIdsOf(welcomeOffer?.scope)])
]

export const collectionIdsOf = (scope: Scope | undefined): string[] =>
  scope?.appliesTo === 'collection' ? scope.collectionIds : []
