import { Type } from 'typebox'
import { OrNull } from '#resources'

/** An amount in the currency of the order. */
export const money = (description: string) => Type.Number({ description: `${description}, in \`currency\`` })

export const ofLedger = (description: string) => Type.Number({ description: `${description}, in the store's currency` })

export const textOrNull = (description: string) => OrNull(Type.String({ description }))
