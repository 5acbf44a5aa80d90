/** What a store's past needs of the sandbox platform. Ids are the platform's numbers as text; money in minor units of the store. */
export type DemoSandbox = {
  createCustomer(storeId: number, customer: DemoCustomer): Promise<{ id: string }>
  join(storeId: number, join: { customerId: string; planName: string }): Promise<{ contractId: string }>
  /** Each outcome is for one charge, the last one for all that follow. */
  setCard(storeId: number, card: { customerId: string; outcome: string[] }): Promise<void>
  placeOrder(storeId: number, order: { customerId: string; totalMinor: number; creditMinor: number }): Promise<unknown>
}

export type DemoCustomer = {
  email: string
  firstName: string
  lastName: string
  countryCode: string
  provinceCode: string
}
