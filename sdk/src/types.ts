import type { components, operations } from './openapi.ts'

type Schemas = components['schemas']
export type Activity = Schemas['Activity']
export type AnalyticsOverview = Schemas['AnalyticsOverview']
export type BillingAttempt = Schemas['BillingAttempt']
export type Customer = Schemas['Customer']
export type Member = Schemas['Member']
export type StoreCredit = Schemas['StoreCredit']
export type StoreCreditEntry = Schemas['StoreCreditEntry']
export type Subscription = Schemas['Subscription']

/** The query parameters of an operation. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>

/** The body of an operation. */
export type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Taken } }
}
  ? Taken
  : never
